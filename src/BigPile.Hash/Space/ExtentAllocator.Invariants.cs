using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using BigPile.Hash.Format;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Space;

/// <summary>What holds of the free extents.</summary>
internal sealed partial class ExtentAllocator
{
    /// <summary>
    /// Checks that free extents, those that are in use, and dropped bytes are the whole area, each byte once; for tests, while nothing is
    /// allocated or freed.
    /// </summary>
    /// <param name="used">The extents in use.</param>
    /// <param name="droppedBytes">The bytes that are neither free nor in use.</param>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    internal void CheckInvariants(IEnumerable<Extent> used, long droppedBytes)
    {
        const string Structure = "ExtentAllocator";
        var all = new List<Extent>();
        var parts = new List<Extent>();
        lock (_growLock)
        {
            for (int i = 0; i < _shards.Length; i++)
                _shards[i].CheckInvariants(i, _layout.Alignment, all, parts);
            _coalesced.CheckInvariants(parts);
            Invariant.Equal(Structure, _end, "size of the file", _file.Size, _end);
        }
        foreach (Extent whole in all)
            CheckWord(whole, whole.Bytes);
        foreach (Extent part in parts)
            CheckWord(part, _layout.Alignment);
        all.AddRange(parts);
        all.AddRange(used);
        all.Sort(static (one, other) => one.Offset.CompareTo(other.Offset));
        long bytes = 0;
        long end = _layout.AreaStart;
        foreach (Extent extent in all)
        {
            Invariant.True(Structure, extent.Offset, "extent aligned and in the area", IsInArea(extent));
            Invariant.Between(Structure, extent.Offset, "end of the extent before", end, 0, extent.Offset);
            end = extent.Offset + extent.Bytes;
            bytes += extent.Bytes;
        }
        Invariant.Equal(Structure, _layout.AreaStart, "bytes of all extents", bytes + droppedBytes, End - _layout.AreaStart);
    }

    // A scan goes on behind the length that it finds: it must not lead into another extent.
    private void CheckWord(Extent free, long leastBytes)
    {
        Span<byte> bytes = stackalloc byte[ClearedBytes];
        _file.ReadAt(free.Offset, bytes);
        var word = new ExtentWord(BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        if (!word.IsOf(free.Offset, _layout.Salt))
            return;
        Invariant.Equal("ExtentAllocator", free.Offset, "kind of a free extent", word.Kind, ExtentKind.Dead);
        Invariant.Between(
            "ExtentAllocator", free.Offset, "stated length", word.Units << _layout.AlignmentShift, leastBytes, free.Bytes);
    }

    private bool IsInArea(Extent extent) =>
        extent.Bytes > 0 && extent.Offset >= _layout.AreaStart && extent.Bytes <= End - extent.Offset
        && ((extent.Offset | extent.Bytes) & (_layout.Alignment - 1)) == 0;
}
