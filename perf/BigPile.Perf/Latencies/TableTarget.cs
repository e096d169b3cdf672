using System.Buffers.Binary;
using BigPile.Caching;

namespace BigPile.Perf.Latencies;

/// <summary>Entries of a durable table.</summary>
internal sealed class TableTarget : ICallTarget
{
    private readonly PileCache _cache;
    private readonly CacheTable<long, byte[]> _table;
    private readonly EntryShape _entries;

    internal TableTarget(PileOptions options, EntryShape entries)
    {
        _cache = new PileCache(new Pile(options), ownsPile: true);
        _table = _cache.GetOrCreateTable<long, byte[]>(new TableOptions("load") { CollisionMode = CollisionMode.Durable });
        _entries = entries;
    }

    public Pile Pile => _cache.Pile;

    public bool Get(int number, byte[] buffer) =>
        _table.TryRead(number, buffer, out EntryInfo info)
        && info.ValueBytes == buffer.Length && BinaryPrimitives.ReadInt64LittleEndian(buffer) == number;

    public bool Put(int number, byte[] buffer)
    {
        BinaryPrimitives.WriteInt64LittleEndian(buffer, number);
        return _table.PutBytes(number, buffer, _entries.OptionsOf(number), out _) != PutResult.Collision;
    }

    public bool Replace(int number, byte[] buffer) => Put(number, buffer);

    public bool Remove(int number) => _table.Remove(number);

    public void Dispose() => _cache.Dispose();
}
