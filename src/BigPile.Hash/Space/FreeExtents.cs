using System;
using System.Collections.Generic;

namespace BigPile.Hash.Space;

/// <summary>Free extents of any length: allocates by best fit, and coalesces neighbours.</summary>
/// <remarks>Thread safety: none; the owner holds a lock.</remarks>
/// <param name="tryCoalesce">
/// Called before an extent is merged into the one in front of it. It must make sure that a scan no longer finds an extent at its beginning;
/// <see langword="false"/> prevents the merge.
/// </param>
internal sealed class FreeExtents(Func<Extent, bool> tryCoalesce)
{
    // For the best fit.
    private readonly SortedSet<(long Bytes, long Offset)> _bySize = [];
    private readonly Dictionary<long, long> _bytesByStart = []; // key: offset
    private readonly Dictionary<long, long> _startByEnd = []; // key: end

    /// <summary>The bytes of all free extents.</summary>
    internal long Bytes { get; private set; }

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

    /// <summary>Finds the smallest extent of at least a length, and leaves it here.</summary>
    internal Extent? Find(long bytes)
    {
        if (_bySize.Count == 0 || _bySize.Max.Bytes < bytes)
            return null;
        (long length, long offset) = _bySize.GetViewBetween((bytes, 0), (long.MaxValue, long.MaxValue)).Min;
        return new Extent(offset, length);
    }

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
