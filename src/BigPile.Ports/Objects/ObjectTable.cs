using System;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Objects;

/// <summary>The objects of a mapped arena, in its shared words. Everything that is read from there is validated.</summary>
/// <remarks>Thread safety: all members may be called concurrently, by all processes.</remarks>
internal sealed unsafe class ObjectTable(Mapping mapping, ArenaShape shape)
{
    private readonly byte* _start = mapping.Start;

    internal ArenaShape Shape => shape;

    internal Mapping Mapping => mapping;

    internal ObjectRecord this[long head] => shape.Object(_start, head);

    internal byte* Data(long head) => shape.Data(_start, head);

    /// <summary>Checks that a reference names a held object, and reads the object's length.</summary>
    /// <returns><see langword="false"/> if it does not, or the length is invalid.</returns>
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

    /// <summary>Whether a granule's owner is alive; once <see langword="false"/>, for good.</summary>
    internal bool IsLive(Reference reference)
    {
        if (reference.Head >= shape.Granules || reference.Generation == 0)
            return false; // the granule has never been used
        ObjectRecord head = this[reference.Head];
        return Volatile.Read(ref head.Generation) == reference.Generation && Volatile.Read(ref head.Holders) != 0;
    }

    /// <summary>The number of granules of living objects, by their owner words.</summary>
    internal long CountUsedGranules()
    {
        long used = 0;
        for (long granule = 0; granule < shape.Granules; granule++)
            used += IsLive(new Reference(Volatile.Read(ref this[granule].Owner))) ? 1 : 0;
        return used;
    }

    /// <summary>The number of living objects, and their total length and granules, by their length words.</summary>
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

    /// <summary>
    /// Checks that each living object has a length and all of its granules, for tests. No process may be allocating; releases may go on.
    /// </summary>
    /// <returns>A bit for each slot that holds an object.</returns>
    internal ulong CheckInvariants()
    {
        ulong slots = 0;
        for (long head = 0; head < shape.Granules; head++)
        {
            ulong owner = Volatile.Read(ref this[head].Owner);
            Invariant.Between("Granule", head, "first granule of its owner", new Reference(owner).Head, 0, shape.Granules - 1);
            ulong holders = Volatile.Read(ref this[head].Holders);
            if (holders != 0)
                CheckObject(head);
            slots |= holders;
        }
        return slots;
    }

    private void CheckObject(long head)
    {
        const string Structure = "Object at granule";
        ulong generation = this[head].Generation;
        Invariant.True(Structure, head, "generation that fits", generation is >= 1 and <= Reference.MaxGeneration);
        var length = new ChecksummedLength(this[head].Length);
        Invariant.True(Structure, head, "length of this generation", length.IsOf(generation));
        Invariant.Between(Structure, head, "length", length.LengthBytes, 0, MostAt(head));
        ulong own = new Reference(head, generation).Word;
        for (long granule = head; granule < head + shape.GranulesOf(length.LengthBytes); granule++)
            Invariant.Equal(Structure, head, "owner of a granule of it", Volatile.Read(ref this[granule].Owner), own);
    }

    private long MostAt(long head) => (shape.Granules - head) * shape.GranuleBytes;
}
