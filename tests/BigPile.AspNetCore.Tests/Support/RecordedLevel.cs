using System;
using System.Buffers;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>A second level that several caches may share, that tells what it was asked, and that fails when it is told to.</summary>
internal class RecordedLevel : IDistributedCache
{
    private readonly ConcurrentQueue<string> _asked = new();
    private readonly ConcurrentDictionary<string, byte[]> _entries = new(StringComparer.Ordinal);

    internal bool FailsToRead { get; set; }

    internal bool FailsToWrite { get; set; }

    /// <summary>Keeps values from being written until it is completed.</summary>
    internal Task WriteRelease { get; set; } = Task.CompletedTask;

    /// <summary>Completes when a write has started and waits for its release.</summary>
    internal TaskCompletionSource WriteStarted { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

    internal TimeSpan? LastExpiration { get; private set; }

    /// <summary>Awaited before and after each call takes effect.</summary>
    internal Func<Task> Latency { get; set; } = static async () => await Task.Yield();

    /// <summary>The calls since the last read, without marks of tags.</summary>
    internal string[] TakeAsked()
    {
        string[] asked = [.. _asked.Where(static entry => !entry.Contains("bigpile:tag:", StringComparison.Ordinal))];
        _asked.Clear();
        return asked;
    }

    internal IEnumerable<string> Keys => _entries.Keys;

    internal void Put(string key, byte[] value) => _entries[key] = value;

    internal byte[] Peek(string key) => _entries[key];

    public byte[]? Get(string key) => throw new NotSupportedException("A hybrid cache must not block.");

    public void Set(string key, byte[] value, DistributedCacheEntryOptions options) =>
        throw new NotSupportedException("A hybrid cache must not block.");

    public void Refresh(string key) => throw new NotSupportedException("A hybrid cache must not block.");

    public void Remove(string key) => throw new NotSupportedException("A hybrid cache must not block.");

    public Task RefreshAsync(string key, CancellationToken token = default) => Task.CompletedTask;

    public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        await AnswerAsync("get", key, FailsToRead);
        byte[]? value = _entries.GetValueOrDefault(key);
        await Latency();
        return value;
    }

    public async Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        await AnswerAsync("set", key, FailsToWrite);
        WriteStarted.TrySetResult();
        await WriteRelease;
        LastExpiration = options.AbsoluteExpirationRelativeToNow;
        _entries[key] = value;
        await Latency();
    }

    public async Task RemoveAsync(string key, CancellationToken token = default)
    {
        await AnswerAsync("remove", key, FailsToWrite);
        _entries.TryRemove(key, out _);
        await Latency();
    }

    private async Task AnswerAsync(string what, string key, bool fails)
    {
        _asked.Enqueue($"{what} {key}");
        await Latency();
        if (fails)
            throw new IOException("The second level is away.");
    }
}

/// <summary>The same with buffers.</summary>
internal sealed class RecordedBufferLevel : RecordedLevel, IBufferDistributedCache
{
    public bool TryGet(string key, IBufferWriter<byte> destination) => throw new NotSupportedException("A hybrid cache must not block.");

    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options) =>
        throw new NotSupportedException("A hybrid cache must not block.");

    public async ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        byte[]? value = await GetAsync(key, token);
        destination.Write(value);
        return value != null;
    }

    public async ValueTask SetAsync(
        string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default) =>
        await SetAsync(key, value.ToArray(), options, token);
}
