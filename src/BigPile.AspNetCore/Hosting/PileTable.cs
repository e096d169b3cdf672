using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>
/// A table for services that are created before the pile is open. Its values are opaque: only these services can read them.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class PileTable<TValue>
{
    private readonly PileHost? _host;
    private readonly TableOptions? _options;
    private volatile CacheTable<string, TValue>? _table;

    /// <summary>Wraps an existing table.</summary>
    internal PileTable(CacheTable<string, TValue> table) => _table = Own(table);

    /// <summary>Wraps a table of a pile that opens with the host.</summary>
    internal PileTable(PileHost host, TableOptions options)
    {
        _host = host;
        _options = options;
    }

    /// <summary>The table, if it was already found; otherwise <see langword="null"/>.</summary>
    internal CacheTable<string, TValue>? Known => _table;

    /// <summary>The table, without waiting.</summary>
    /// <exception cref="InvalidOperationException">The pile is not open.</exception>
    internal CacheTable<string, TValue> Get() => _table ?? Find(_host!.Cache);

    /// <summary>Waits until the pile is open, and returns the table.</summary>
    /// <exception cref="InvalidOperationException">The pile is not open, and nobody opens it.</exception>
    internal ValueTask<CacheTable<string, TValue>> GetAsync(CancellationToken cancellationToken) =>
        _table is { } table ? new ValueTask<CacheTable<string, TValue>>(table) : WaitAsync(cancellationToken);

    private async ValueTask<CacheTable<string, TValue>> WaitAsync(CancellationToken cancellationToken) =>
        Find(await _host!.WaitForCacheAsync(cancellationToken).ConfigureAwait(false));

    private CacheTable<string, TValue> Find(PileCache cache) => _table = Own(cache.GetOrCreateTable<string, TValue>(_options!));

    private static CacheTable<string, TValue> Own(CacheTable<string, TValue> table)
    {
        table.HasOpaqueValues = true;
        return table;
    }
}
