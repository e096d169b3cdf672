using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.Caching;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.AspNetCore;

/// <summary>A table as an output cache store. On a mapped pile responses survive a restart.</summary>
/// <remarks>
/// Evicting a tag costs the same however many responses have it. A response has up to 64 tags. A response that does not fit in the pile is
/// logged and not stored. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class PileOutputCacheStore : IOutputCacheBufferStore
{
    private readonly PileTable<byte[]> _table;
    private readonly ILogger _logger;

    /// <summary>Wraps a table as a store.</summary>
    /// <param name="table">The table.</param>
    /// <param name="logger">Logs responses that did not fit in the pile.</param>
    public PileOutputCacheStore(CacheTable<string, byte[]> table, ILogger<PileOutputCacheStore>? logger = null)
    {
        ArgumentNullException.ThrowIfNull(table);
        _table = new PileTable<byte[]>(table);
        _logger = logger ?? NullLogger<PileOutputCacheStore>.Instance;
    }

    internal PileOutputCacheStore(PileTable<byte[]> table, ILogger<PileOutputCacheStore> logger)
    {
        _table = table;
        _logger = logger;
    }

    /// <inheritdoc/>
    public async ValueTask<byte[]?> GetAsync(string key, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        CacheTable<string, byte[]> table = await _table.GetAsync(cancellationToken).ConfigureAwait(false);
        return table.TryGet(key, out byte[]? value) ? value : null;
    }

    /// <inheritdoc/>
    /// <remarks>Does not flush the pipe: without a reader a flush would wait for ever.</remarks>
    public async ValueTask<bool> TryGetAsync(string key, PipeWriter destination, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        ArgumentNullException.ThrowIfNull(destination);
        CacheTable<string, byte[]> table = await _table.GetAsync(cancellationToken).ConfigureAwait(false);
        return table.TryGet(key, destination);
    }

    /// <inheritdoc/>
    public ValueTask SetAsync(string key, byte[] value, string[]? tags, TimeSpan validFor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(value);
        return SetAsync(key, new ReadOnlySequence<byte>(value), tags, validFor, cancellationToken);
    }

    /// <inheritdoc/>
    public async ValueTask SetAsync(
        string key, ReadOnlySequence<byte> value, ReadOnlyMemory<string> tags, TimeSpan validFor, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(key);
        if (validFor <= TimeSpan.Zero)
            throw new ArgumentOutOfRangeException(nameof(validFor), validFor, "The time for which a response is valid must be above zero.");
        CacheTable<string, byte[]> table = await _table.GetAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            table.PutBytes(key, value, new EntryOptions { MaxAge = validFor, Tags = tags.IsEmpty ? null : tags.ToArray() }, out _);
        }
        catch (PileFullException e)
        {
            _logger.LogWarning("A response of {Bytes} bytes is not cached: {Reason}", value.Length, e.Message);
        }
    }

    /// <inheritdoc/>
    public async ValueTask EvictByTagAsync(string tag, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(tag);
        CacheTable<string, byte[]> table = await _table.GetAsync(cancellationToken).ConfigureAwait(false);
        table.RemoveByTag(tag);
    }
}
