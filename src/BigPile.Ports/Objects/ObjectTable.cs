using System;
using System.Threading;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Objects;

/// <summary>The objects of a mapped arena, as their shared words have them. Whatever is read from there is checked.</summary>
/// <remarks>Thread safety: all members may be called concurrently, by all processes.</remarks>
internal sealed unsafe class ObjectTable(Mapping mapping, ArenaShape shape)
{
    private readonly byte* _start = mapping.Start;

    internal ArenaShape Shape => shape;

    internal Mapping Mapping => mapping;

    internal ObjectRecord this[long head] => shape.Object(_start, head);

    internal byte* Data(long head) => shape.Data(_start, head);

    /// <summary>Looks whether a reference names an object that somebody holds, and reads how long it is.</summary>
    /// <returns><see langword="false"/> when it does not, or when the object's length is none that it can have.</returns>
    internal bool TryResolve(Reference reference, out long lengthBytes)
    {
        lengthBytes = 0;
        if (reference.Head >= shape.Granules)
            return false;
        ObjectRecord record = this[reference.Head];
        var length = new ChecksummedLength(Volatile.Read(ref record.Length));
        lengthBytes = length.LengthBytes;
        return length.IsOf(reference.Generation) && lengthBytes <= MostAt(reference.Head) && IsLive(reference);
    }

    /// <summary>Whether what a granule says of its owner still holds; no, once said, holds for ever.</summary>
    internal bool IsLive(Reference reference)
    {
        if (reference.Head >= shape.Granules || reference.Generation == 0)
            return false; // a granule that has never been anybody's
        ObjectRecord head = this[reference.Head];
        return Volatile.Read(ref head.Generation) == reference.Generation && Volatile.Read(ref head.Holders) != 0;
    }

    /// <summary>The granules that belong to living objects, as the granules themselves say it.</summary>
    internal long CountUsedGranules()
    {
        long used = 0;
        for (long granule = 0; granule < shape.Granules; granule++)
            used += IsLive(new Reference(Volatile.Read(ref this[granule].Owner))) ? 1 : 0;
        return used;
    }

    /// <summary>The living objects, and the bytes and granules that they state.</summary>
    internal (long Objects, long LengthBytes, long Granules) CountObjects()
    {
        (long objects, long bytes, long granules) = (0, 0, 0);
        for (long head = 0; head < shape.Granules; head++)
        {
            ObjectRecord record = this[head];
            if (Volatile.Read(ref record.Holders) == 0)
                continue;
            long lengthBytes = Math.Min(new ChecksummedLength(Volatile.Read(ref record.Length)).LengthBytes, MostAt(head));
            objects++;
            bytes += lengthBytes;
            granules += shape.GranulesOf(lengthBytes);
        }
        return (objects, bytes, granules);
    }

    private long MostAt(long head) => (shape.Granules - head) * shape.GranuleBytes;
}
