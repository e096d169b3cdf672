using System;
using System.Collections.Generic;

namespace BigPile.Hash.Space;

/// <summary>Free pieces of any length: the best fit is found, and neighbours are joined.</summary>
/// <remarks>Thread safety: none; who has them holds a lock.</remarks>
/// <param name="tryCoalesce">
/// Is asked before a piece becomes a part of the one in front of it: nothing may lie at its beginning that a scan would take for a room.
/// </param>
internal sealed class FreeExtents(Func<Extent, bool> tryCoalesce)
{
    private readonly SortedSet<(long Bytes, long Offset)> _bySize = [];
    private readonly Dictionary<long, long> _bytesByStart = []; // by where they begin
    private readonly Dictionary<long, long> _startByEnd = []; // by where they end

    /// <summary>The bytes of all.</summary>
    internal long Bytes { get; private set; }

    /// <summary>Adds a piece.</summary>
    internal void Add(Extent extent)
    {
        if (_startByEnd.TryGetValue(extent.Offset, out long before) && tryCoalesce(extent))
        {
            Remove(new Extent(before, extent.Offset - before));
            extent = new Extent(before, extent.Offset - before + extent.Bytes);
        }
        long end = extent.Offset + extent.Bytes;
        if (_bytesByStart.TryGetValue(end, out long behind) && tryCoalesce(new Extent(end, behind)))
        {
            Remove(new Extent(end, behind));
            extent = extent with { Bytes = extent.Bytes + behind };
        }
        Insert(extent);
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
        _bytesByStart.Remove(extent.Offset);
        _startByEnd.Remove(extent.Offset + extent.Bytes);
        Bytes -= extent.Bytes;
    }

    internal void Clear()
    {
        _bySize.Clear();
        _bytesByStart.Clear();
        _startByEnd.Clear();
        Bytes = 0;
    }

    private void Insert(Extent extent)
    {
        _bySize.Add((extent.Bytes, extent.Offset));
        _bytesByStart[extent.Offset] = extent.Bytes;
        _startByEnd[extent.Offset + extent.Bytes] = extent.Offset;
        Bytes += extent.Bytes;
    }
}
