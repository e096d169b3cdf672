using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port. Its depth was validated, and is not read again.</summary>
internal readonly struct Ring
{
    // No port ever sends so many. So no number that follows a valid one overflows, and none is negative.
    private const long MaxNumber = long.MaxValue / 2;

    private readonly ArenaShape _shape;

    internal Ring(PortRecord port, ArenaShape shape)
    {
        int depth = Volatile.Read(ref port.Depth);
        if (depth < 1 || depth > shape.Depth || !BitOperations.IsPow2(depth))
            throw Damaged($"the depth is {depth}");
        _shape = shape;
        Port = port;
        Depth = depth;
    }

    internal PortRecord Port { get; }

    internal int Depth { get; }

    /// <summary>The exception for shared memory that no correct process has written.</summary>
    internal static InvalidDataException Damaged(string what) => new($"The port is damaged: {what}. Another process wrote over the arena.");

    /// <summary>The counters of receiver and sender.</summary>
    /// <exception cref="InvalidDataException">The counters contradict each other.</exception>
    internal (long Taken, long Tail) ReadCounters()
    {
        while (true)
        {
            long taken = Volatile.Read(ref Port.Taken);
            long tail = Volatile.Read(ref Port.Tail);
            if (taken >= 0 && tail >= taken && tail <= MaxNumber && tail - taken <= Depth)
                return (taken, tail);
            if (Volatile.Read(ref Port.Taken) == taken)
                throw Damaged($"{taken} were received, {tail} sent");
        }
    }

    /// <summary>The object of a number, which may have been received already.</summary>
    /// <exception cref="InvalidDataException">The entry is not of this number.</exception>
    internal Reference Read(long number) =>
        TryRead(number, out Reference reference) ? reference : throw Damaged($"number {number} is {reference.Word:X}");

    /// <summary>Checks the counters, and that the entries in flight are of their numbers, for tests.</summary>
    /// <param name="slowest">Where the slowest receiver is.</param>
    internal void CheckInvariants(long slowest)
    {
        const string Structure = "Ring with tail";
        long tail = Volatile.Read(ref Port.Tail);
        Invariant.Between(Structure, tail, "objects sent and not received", tail - slowest, 0, Depth);
        Invariant.Between(Structure, tail, "objects above the floor", tail - Volatile.Read(ref Port.Taken), 0, Depth);
        Invariant.Between(Structure, tail, "released objects", Volatile.Read(ref Port.Reclaimed), 0, slowest);
        for (long number = slowest; number < tail; number++)
            Invariant.True(Structure, tail, "entry of its number", TryRead(number, out _));
    }

    /// <summary>Reads the object of a number.</summary>
    /// <returns><see langword="false"/> if the entry is not of this number.</returns>
    internal bool TryRead(long number, out Reference reference) =>
        Port.Entry(number, Depth).TryRead(out reference) && reference.Head < _shape.Granules;
}
