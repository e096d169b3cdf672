using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Maps the segments that a superblock lists.</summary>
internal static class SegmentMapping
{
    internal static void MapAll(PileDirectory directory, SegmentMap map, PagePool pool)
    {
        foreach ((int number, long lengthBytes) in directory.Superblock.ListedSegments)
            Map(directory, map, pool, number, lengthBytes);
    }

    /// <summary>Maps one of them.</summary>
    /// <exception cref="PileStorageException">The segment is impossible, damaged, or of another pile.</exception>
    internal static void Map(PileDirectory directory, SegmentMap map, PagePool pool, int number, long lengthBytes)
    {
        string path = directory.Segments.PathOf(number);
        if (!IsPossible(map, pool, number, lengthBytes))
            throw new PileStorageException(
                $"The superblock in '{directory.Path}' lists an impossible segment {number} of {lengthBytes:N0} bytes.");
        MappedRegion region = directory.Segments.Open(number, lengthBytes);
        Debug.Assert(region.LengthBytes == lengthBytes, "Listed pages would not be mapped.");
        try
        {
            SegmentScanner.CheckHead(region, path, number, directory.Superblock.PileId); // before a word of it is trusted
            var segment = new Segment(number, map.AddressOf(number), region, tracksFlushed: !directory.IsReadOnly && !directory.IsShared);
            pool.Hold(segment, isShared: directory.IsReadOnly);
        }
        catch
        {
            region.Dispose();
            throw;
        }
    }

    /// <summary>Maps one of them for verification; problems are recorded as faults.</summary>
    internal static void MapForVerifying(PileDirectory directory, SegmentMap map, PagePool pool, int number, long lengthBytes)
    {
        if (!IsPossible(map, pool, number, lengthBytes))
        {
            directory.Faults.Add(
                new PileFault(directory.Path, $"the superblock lists an impossible segment {number} of {lengthBytes:N0} bytes", 0));
            return;
        }
        MappedRegion region;
        try
        {
            region = directory.Segments.Open(number, lengthBytes);
        }
        catch (PileStorageException e)
        {
            directory.Faults.Add(new PileFault(directory.Segments.PathOf(number), e.Message, lengthBytes));
            return;
        }
        if (!SegmentScanner.IsHead(region, number, directory.Superblock.PileId))
        {
            directory.Faults.Add(
                new PileFault(directory.Segments.PathOf(number), "its head is damaged, or belongs to another pile", 0));
        }
        pool.Hold(new Segment(number, map.AddressOf(number), region, tracksFlushed: false), isShared: true);
    }

    /// <summary>Whether a listed segment can be mapped: whole pages, and segment numbers that exist and are not taken.</summary>
    private static bool IsPossible(SegmentMap map, PagePool pool, int number, long lengthBytes)
    {
        if (number < 0 || lengthBytes < SizeClasses.PageBytes || lengthBytes % SizeClasses.PageBytes != 0)
            return false;
        long spans = (lengthBytes - 1) / map.SegmentBytes + 1;
        if (spans > map.Capacity - number
            || lengthBytes / SizeClasses.PageBytes <= SegmentHead.PagesFor((int)(lengthBytes / SizeClasses.PageBytes)))
            return false;
        for (int i = 0; i < spans; i++)
        {
            if (pool.Find(map.AddressOf(number + i)) != null)
                return false;
        }
        return true;
    }
}
