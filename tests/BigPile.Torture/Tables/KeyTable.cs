using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;

namespace BigPile.Torture.Tables;

/// <summary>A table with keys of one type.</summary>
internal sealed partial class KeyTable<TKey>(PileCache cache, TableOptions options, Func<int, TKey> keyOf, Func<TKey, int> numberOf)
    : IKeyTable
    where TKey : notnull
{
    private readonly CacheTable<TKey, byte[]> _table = cache.GetOrCreateTable<TKey, byte[]>(options);

    public CacheTable Table => _table;

    public IEnumerable<int> Keys => _table.Keys.Select(numberOf);

    public EntryInfo PutBytes(int key, byte[] value, EntryOptions? options)
    {
        _ = _table.PutBytes(keyOf(key), value, options, out EntryInfo info);
        return info;
    }

    public void Put(int key, byte[] value, EntryOptions? options) => _table.Put(keyOf(key), value, options);

    public void PutMany(int[] keys, byte[][] values, EntryOptions? options) =>
        _table.PutMany(KeysOf(keys), values, new PutResult[keys.Length], options);

    public void PutPointer(int key, PilePointer pointer, EntryOptions? options) => _table.PutPointer(keyOf(key), pointer, options);

    public bool TryGetPointer(int key, out PilePointer pointer) => _table.TryGetPointer(keyOf(key), out pointer);

    public bool Remove(int key) => _table.Remove(keyOf(key));

    public int RemoveMany(int[] keys) => _table.RemoveMany(KeysOf(keys));

    public int GetMany(int[] keys) => _table.GetMany(KeysOf(keys), new byte[]?[keys.Length], new bool[keys.Length]);

    public bool TryRead(int key, IBufferWriter<byte> destination, out EntryInfo info) => _table.TryRead(keyOf(key), destination, out info);

    public bool TryGet(int key, out byte[]? value) => _table.TryGet(keyOf(key), out value);

    public bool TryLease(int key, out PileLease? lease) => _table.TryLease(keyOf(key), out lease, out _);

    public void GetAgain(TableOptions options) => _ = cache.GetOrCreateTable<TKey, byte[]>(options);

    private TKey[] KeysOf(int[] keys) => [.. keys.Select(keyOf)];
}
