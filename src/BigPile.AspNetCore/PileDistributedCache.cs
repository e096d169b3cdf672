using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Distributed;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore;

/// <summary>A table as a distributed cache, with and without buffers. On a mapped pile its entries survive a restart.</summary>
/// <remarks>
/// Keys are compared ordinally and have at most 4,096 bytes; values have up to 1 GiB. A read renews a sliding expiry, never beyond the
/// absolute one; if both absolute expiries are given, the relative one counts. Entries without an expiry use the table's options. When the
/// pile is full, <see cref="Set(string, byte[], DistributedCacheEntryOptions)"/> throws <see cref="PileFullException"/>, and the key keeps
/// what it had, as with a server that refuses a write: set <see cref="TableOptions.MaxBytes"/>, so that the table evicts instead. At that
/// limit a value for which nothing may go is dropped, and with it what the key had, as a memory cache does; nothing is thrown.
/// Asynchronous members run on the caller's thread and wait only for a pile that is still opening; synchronous members throw
/// <see cref="InvalidOperationException"/> until it is open. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class PileDistributedCache : IBufferDistributedCache
{
    private readonly PileTable<byte[]> _table;
    private readonly TimeProvider _time;

    /// <summary>Wraps a table as a distributed cache.</summary>
    /// <param name="table">The table.</param>
    /// <param name="time">The clock of the table's cache.</param>
    public PileDistributedCache(CacheTable<string, byte[]> table, TimeProvider? time = null)
    {
        ArgumentNullException.ThrowIfNull(table);
        _table = new PileTable<byte[]>(table);
        _time = time ?? TimeProvider.System;
    }

    internal PileDistributedCache(PileTable<byte[]> table, TimeProvider time)
    {
        _table = table;
        _time = time;
    }

    /// <inheritdoc/>
    public byte[]? Get(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return _table.Get().TryGet(key, out byte[]? value) ? value : null;
    }

    /// <inheritdoc/>
    public async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        CacheTable<string, byte[]> table = await _table.GetAsync(token).ConfigureAwait(false);
        return table.TryGet(key, out byte[]? value) ? value : null;
    }

    /// <inheritdoc/>
    public bool TryGet(string key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        return _table.Get().TryGet(key, destination);
    }

    /// <inheritdoc/>
    public async ValueTask<bool> TryGetAsync(string key, IBufferWriter<byte> destination, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        CacheTable<string, byte[]> table = await _table.GetAsync(token).ConfigureAwait(false);
        return table.TryGet(key, destination);
    }

    /// <inheritdoc/>
    public void Set(string key, byte[] value, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(value);
        Set(key, new ReadOnlySequence<byte>(value), options);
    }

    /// <inheritdoc/>
    public void Set(string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options)
    {
        CheckSet(key, options);
        Put(_table.Get(), key, value, options);
    }

    /// <inheritdoc/>
    public Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(value);
        return SetAsync(key, new ReadOnlySequence<byte>(value), options, token).AsTask();
    }

    /// <inheritdoc/>
    public async ValueTask SetAsync(
        string key, ReadOnlySequence<byte> value, DistributedCacheEntryOptions options, CancellationToken token = default)
    {
        CheckSet(key, options);
        CacheTable<string, byte[]> table = await _table.GetAsync(token).ConfigureAwait(false);
        Put(table, key, value, options);
    }

    /// <inheritdoc/>
    public void Refresh(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        _table.Get().Touch(key);
    }

    /// <inheritdoc/>
    public async Task RefreshAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        CacheTable<string, byte[]> table = await _table.GetAsync(token).ConfigureAwait(false);
        table.Touch(key);
    }

    /// <inheritdoc/>
    public void Remove(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        _table.Get().Remove(key);
    }

    /// <inheritdoc/>
    public async Task RemoveAsync(string key, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(key);
        CacheTable<string, byte[]> table = await _table.GetAsync(token).ConfigureAwait(false);
        table.Remove(key);
    }

    private void Put(
        CacheTable<string, byte[]> table, string key, in ReadOnlySequence<byte> value, DistributedCacheEntryOptions options)
    {
        // A full pile throws, so the caller knows, and decides about the old value. A collision nobody is told of.
        if (table.PutBytes(key, value, EntryExpiry.Of(key, options, _time), out _) == PutResult.Collision)
            table.Remove(key); // a later read must not find the old value
    }

    private static void CheckSet(string key, DistributedCacheEntryOptions options)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(options);
    }
}
