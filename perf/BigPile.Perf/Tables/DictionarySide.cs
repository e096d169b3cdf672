using System;
using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace BigPile.Perf.Tables;

/// <summary>A <see cref="ConcurrentDictionary{TKey, TValue}"/> of arrays.</summary>
internal sealed class DictionarySide : ICompareSide
{
    private readonly ConcurrentDictionary<long, byte[]> _entries = new();

    public string Name => "ConcurrentDictionary";

    public void Put(long key, ReadOnlySpan<byte> value) => _entries[key] = value.ToArray();

    public bool TryGet(long key, Span<byte> room, out long number)
    {
        bool found = _entries.TryGetValue(key, out byte[]? value);
        if (found)
            value.CopyTo(room);
        number = found ? BinaryPrimitives.ReadInt64LittleEndian(room) : 0;
        return found;
    }

    public void Dispose() => _entries.Clear();
}
