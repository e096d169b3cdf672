using System;
using BigPile.Caching;

namespace BigPile.Perf.Stores;

/// <summary>A store under comparison: the table or another cache.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
internal interface IStore<TKey> : IDisposable
{
    /// <summary>Its name.</summary>
    string Name { get; }

    /// <summary>Puts a copy of a value.</summary>
    void Put(TKey key, ReadOnlySpan<byte> value);

    /// <summary>Gets a value in the store's own way: its stored array, a new one, or a copy in the buffer.</summary>
    /// <param name="key">The key.</param>
    /// <param name="buffer">A buffer for the value.</param>
    /// <returns>The value; nothing when it is missing.</returns>
    ReadOnlySpan<byte> Get(TKey key, Span<byte> buffer);
}

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
