using System;
using System.Collections.Generic;

namespace BigPile.Hash.Space;

/// <summary>Free pieces of any length: the best fit is found, and neighbours are joined.</summary>
/// <remarks>Thread safety: none; who has them holds a lock.</remarks>
/// <param name="tryJoin">
/// Is asked before a piece becomes a part of the one in front of it: nothing may lie at its beginning that a scan would take for a room.
/// </param>
internal sealed class FreeExtents(Func<Extent, bool> tryJoin)
{
    private readonly SortedSet<(long Bytes, long Offset)> _bySize = [];
    private readonly Dictionary<long, long> _lengths = []; // by where they begin
    private readonly Dictionary<long, long> _starts = []; // by where they end

    /// <summary>The bytes of all.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Adds a piece.</summary>
    internal void Add(Extent extent)
    {
        if (_starts.TryGetValue(extent.Offset, out long before) && tryJoin(extent))
        {
            Remove(new Extent(before, extent.Offset - before));
            extent = new Extent(before, extent.Offset - before + extent.Bytes);
        }
        long end = extent.Offset + extent.Bytes;
        if (_lengths.TryGetValue(end, out long behind) && tryJoin(new Extent(end, behind)))
        {
            Remove(new Extent(end, behind));
            extent = extent with { Bytes = extent.Bytes + behind };
        }
        Keep(extent);
    }

    /// <summary>The smallest piece that has some bytes; it stays.</summary>
    internal Extent? Find(long bytes)
    {
        if (_bySize.Count == 0 || _bySize.Max.Bytes < bytes)
            return null;
        (long length, long offset) = _bySize.GetViewBetween((bytes, 0), (long.MaxValue, long.MaxValue)).Min;
        return new Extent(offset, length);
    }

    /// <summary>Takes a piece out.</summary>
    internal void Remove(Extent extent)
    {
        _bySize.Remove((extent.Bytes, extent.Offset));
        _lengths.Remove(extent.Offset);
        _starts.Remove(extent.Offset + extent.Bytes);
        Bytes -= extent.Bytes;
    }

    internal void Clear()
    {
        _bySize.Clear();
        _lengths.Clear();
        _starts.Clear();
        Bytes = 0;
    }

    private void Keep(Extent extent)
    {
        _bySize.Add((extent.Bytes, extent.Offset));
        _lengths[extent.Offset] = extent.Bytes;
        _starts[extent.Offset + extent.Bytes] = extent.Offset;
        Bytes += extent.Bytes;
    }
}
