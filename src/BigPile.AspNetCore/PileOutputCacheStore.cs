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
/// Evicting a tag costs the same however many responses have it. A response has up to 64 tags. A response that finds no space in table or
/// pile is not stored, and what the key had is removed: an older response must not be served instead. The pile logs once a minute how many
/// puts it refused. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class PileOutputCacheStore : IOutputCacheBufferStore
{
    private readonly PileTable<byte[]> _table;
    private readonly ILogger _logger;

    /// <summary>Wraps a table as a store.</summary>
    /// <param name="table">The table.</param>
    /// <param name="logger">Logs each response that found no space, at level Debug.</param>
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
        if (!TryPut(table, key, value, new EntryOptions { MaxAge = validFor, Tags = tags.IsEmpty ? null : tags.ToArray() }))
            table.Remove(key); // a later read must not find the old response
    }

    /// <inheritdoc/>
    public async ValueTask EvictByTagAsync(string tag, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(tag);
        CacheTable<string, byte[]> table = await _table.GetAsync(cancellationToken).ConfigureAwait(false);
        table.RemoveByTag(tag);
    }

    private bool TryPut(CacheTable<string, byte[]> table, string key, in ReadOnlySequence<byte> value, EntryOptions options)
    {
        try
        {
            if (table.PutBytes(key, value, options, out _) != PutResult.Collision)
                return true;
            _logger.LogDebug("A response of {Bytes} bytes is not cached: its table is at its limit, and nothing may go", value.Length);
        }
        catch (PileFullException e)
        {
            // The pile warns, once a minute for all it refuses.
            _logger.LogDebug("A response of {Bytes} bytes is not cached: {Reason}", value.Length, e.Message);
        }
        return false;
    }
}
