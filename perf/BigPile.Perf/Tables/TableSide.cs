using System;
using System.Buffers.Binary;
using BigPile.Caching;

namespace BigPile.Perf.Tables;

/// <summary>A table of a pile in native memory.</summary>
internal sealed class TableSide : ICompareSide
{
    private readonly PileCache _cache = new(new Pile(), ownsPile: true);
    private readonly CacheTable<long, byte[]> _table;

    public TableSide() =>
        _table = _cache.GetOrCreateTable<long, byte[]>(new TableOptions("compare") { CollisionMode = CollisionMode.Durable });

    public string Name => "BigPile table";

    public void Put(long key, ReadOnlySpan<byte> value) => _table.PutBytes(key, value, out _);

    public bool TryGet(long key, Span<byte> room, out long number)
    {
        bool found = _table.TryRead(key, room, out _);
        number = found ? BinaryPrimitives.ReadInt64LittleEndian(room) : 0;
        return found;
    }

    public void Dispose() => _cache.Dispose();
}
