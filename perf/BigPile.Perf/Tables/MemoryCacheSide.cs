using System;
using System.Buffers.Binary;
using Microsoft.Extensions.Caching.Memory;

namespace BigPile.Perf.Tables;

/// <summary>A <see cref="MemoryCache"/> of arrays.</summary>
internal sealed class MemoryCacheSide : ICompareSide
{
    private readonly MemoryCache _entries = new(new MemoryCacheOptions());

    public string Name => "MemoryCache";

    public void Put(long key, ReadOnlySpan<byte> value) => _entries.Set(key, value.ToArray());

    public bool TryGet(long key, Span<byte> room, out long number)
    {
        bool found = _entries.TryGetValue(key, out byte[]? value);
        if (found)
            value.CopyTo(room);
        number = found ? BinaryPrimitives.ReadInt64LittleEndian(room) : 0;
        return found;
    }

    public void Dispose() => _entries.Dispose();
}
