using System;
using System.Buffers.Binary;
using BigPile.Caching;

namespace BigPile.Perf.Latencies;

/// <summary>What single calls are made to: entries with numbers.</summary>
/// <remarks>Thread safety: threads may call at once, each with a buffer of its own, and for entries that no other one changes.</remarks>
internal interface ICallTarget : IDisposable
{
    Pile Pile { get; }

    /// <summary>Reads an entry, and returns whether it is the one that was put.</summary>
    bool Get(int number, byte[] buffer);

    /// <summary>Puts a new entry.</summary>
    bool Put(int number, byte[] buffer);

    /// <summary>Replaces the value of an existing entry.</summary>
    bool Replace(int number, byte[] buffer);

    /// <summary>Removes an entry, and returns whether it existed.</summary>
    bool Remove(int number);
}

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

/// <summary>Objects of a pile, by pointers in an array.</summary>
internal sealed class PileTarget : ICallTarget
{
    private readonly PilePointer[] _pointers;

    internal PileTarget(PileOptions options, int most)
    {
        _pointers = new PilePointer[most];
        Array.Clear(_pointers); // it is touched before it is measured
        Pile = new Pile(options);
    }

    public Pile Pile { get; }

    public bool Get(int number, byte[] buffer) =>
        Pile.TryRead(_pointers[number], buffer, out int payloadBytes)
        && payloadBytes == buffer.Length && BinaryPrimitives.ReadInt64LittleEndian(buffer) == number;

    public bool Put(int number, byte[] buffer)
    {
        BinaryPrimitives.WriteInt64LittleEndian(buffer, number);
        _pointers[number] = Pile.Put(new ReadOnlySpan<byte>(buffer));
        return true;
    }

    public bool Replace(int number, byte[] buffer)
    {
        BinaryPrimitives.WriteInt64LittleEndian(buffer, number);
        Pile.Replace(_pointers[number], new ReadOnlySpan<byte>(buffer));
        return true;
    }

    public bool Remove(int number) => Pile.TryDelete(_pointers[number]);

    public void Dispose() => Pile.Dispose();
}
