using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>
/// A table for services that are created before the pile is open. Its values are opaque: only these services can read them.
/// </summary>
/// <remarks>
/// A table that the application has dropped is made again, empty; one that was given is not, as its cache is unknown.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileTable<TValue>
{
    private readonly Func<PileCache>? _cache;
    private readonly PileHost? _host;
    private readonly TableOptions? _options;
    private volatile CacheTable<string, TValue>? _table;

    /// <summary>Wraps an existing table.</summary>
    internal PileTable(CacheTable<string, TValue> table) => _table = Own(table);

    /// <summary>Wraps a table of a cache, which is made if it is not there.</summary>
    internal PileTable(PileCache cache, TableOptions options)
    {
        _cache = () => cache;
        _options = options;
        _ = Find(cache);
    }

    /// <summary>Wraps a table of a pile that opens with the host.</summary>
    internal PileTable(PileHost host, TableOptions options)
    {
        _cache = () => host.Cache;
        _host = host;
        _options = options;
    }

    /// <summary>The table, if it was already found and is not dropped; otherwise <see langword="null"/>.</summary>
    internal CacheTable<string, TValue>? Known => _table is { } table && (!table.IsDropped || _cache == null) ? table : null;

    /// <summary>The table, without waiting.</summary>
    /// <exception cref="InvalidOperationException">The pile is not open.</exception>
    internal CacheTable<string, TValue> Get() => Known ?? Find(_cache!());

    /// <summary>Waits until the pile is open, and returns the table.</summary>
    /// <exception cref="InvalidOperationException">The pile is not open, and nobody opens it.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled, perhaps before the call.</exception>
    internal ValueTask<CacheTable<string, TValue>> GetAsync(CancellationToken cancellationToken) =>
        cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled<CacheTable<string, TValue>>(cancellationToken)
            : Known is { } table ? new ValueTask<CacheTable<string, TValue>>(table) : WaitAsync(cancellationToken);

    private async ValueTask<CacheTable<string, TValue>> WaitAsync(CancellationToken cancellationToken) =>
        Find(_host == null ? _cache!() : await _host.WaitForCacheAsync(cancellationToken).ConfigureAwait(false));

    private CacheTable<string, TValue> Find(PileCache cache) => _table = Own(cache.GetOrCreateTable<string, TValue>(_options!));

    private static CacheTable<string, TValue> Own(CacheTable<string, TValue> table)
    {
        table.HasOpaqueValues = true;
        return table;
    }
}
