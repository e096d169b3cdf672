using System;
using BigPile.Caching;

namespace BigPile.Perf.Stores;

/// <summary>A table of a pile in native memory.</summary>
internal sealed class TableStore<TKey> : IStore<TKey>
    where TKey : notnull
{
    private readonly PileCache _cache = new(new Pile(), ownsPile: true);
    private readonly CacheTable<TKey, byte[]> _table;
    private readonly bool _copies;

    /// <param name="copies">Whether a value is copied into the caller's buffer; else it is a new array.</param>
    internal TableStore(bool copies)
    {
        _table = _cache.GetOrCreateTable<TKey, byte[]>(new TableOptions("compare") { CollisionMode = CollisionMode.Durable });
        _copies = copies;
    }

    public string Name => "BigPile table";

    public void Put(TKey key, ReadOnlySpan<byte> value) => _table.PutBytes(key, value, out _);

    public ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer)
    {
        if (_copies)
            return _table.TryRead(key, buffer, out _) ? buffer : default;
        return _table.TryGet(key, out byte[]? value) ? value : default;
    }

    public void Dispose() => _cache.Dispose();
}
