using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Memory.Checking;

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
        Debug.Assert(extent.Bytes > 0, "Nothing is not an extent.");
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
        Debug.Assert(bytes > 0, "Nothing is not an extent.");
        if (_bySize.Count == 0 || _bySize.Max.Bytes < bytes)
            return null;
        (long length, long offset) = _bySize.GetViewBetween((bytes, 0), (long.MaxValue, long.MaxValue)).Min;
        return new Extent(offset, length);
    }

    internal void Remove(Extent extent)
    {
        Debug.Assert(_bySize.Contains((extent.Bytes, extent.Offset)), "The extent is one of those here.");
        _bySize.Remove((extent.Bytes, extent.Offset));
        _bytesByStart.Remove(extent.Offset);
        _startByEnd.Remove(extent.Offset + extent.Bytes);
        Bytes -= extent.Bytes;
        Debug.Assert(Bytes >= 0, "Each extent here was counted.");
    }

    internal void Clear()
    {
        _bySize.Clear();
        _bytesByStart.Clear();
        _startByEnd.Clear();
        Bytes = 0;
    }

    /// <summary>Checks that the three indexes agree, and adds all extents to a list; for tests.</summary>
    /// <exception cref="InvalidOperationException">They do not.</exception>
    internal void CheckInvariants(List<Extent> free)
    {
        const string Structure = "FreeExtents";
        long bytes = 0;
        foreach ((long length, long offset) in _bySize)
        {
            Invariant.Between(Structure, offset, "length", length, 1, long.MaxValue - offset);
            Invariant.Equal(Structure, offset, "length by start", _bytesByStart.GetValueOrDefault(offset), length);
            Invariant.Equal(Structure, offset, "start by end", _startByEnd.GetValueOrDefault(offset + length, -1), offset);
            bytes += length;
            free.Add(new Extent(offset, length));
        }
        Invariant.Equal(Structure, 0, "number of starts", _bytesByStart.Count, _bySize.Count);
        Invariant.Equal(Structure, 0, "number of ends", _startByEnd.Count, _bySize.Count);
        Invariant.Equal(Structure, 0, "bytes", Bytes, bytes);
    }

    private void Insert(Extent extent)
    {
        Debug.Assert(!_bytesByStart.ContainsKey(extent.Offset), "No free extent begins there already.");
        Debug.Assert(!_startByEnd.ContainsKey(extent.Offset + extent.Bytes), "No free extent ends there already.");
        _bySize.Add((extent.Bytes, extent.Offset));
        _bytesByStart[extent.Offset] = extent.Bytes;
        _startByEnd[extent.Offset + extent.Bytes] = extent.Offset;
        Bytes += extent.Bytes;
    }
}
