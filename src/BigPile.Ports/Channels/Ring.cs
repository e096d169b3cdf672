using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Ports.Layout;

namespace BigPile.Ports.Channels;

/// <summary>A port's ring, whose depth was checked and is not read again.</summary>
internal readonly struct Ring
{
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

    /// <summary>What says that shared memory holds what no process in its right mind has written.</summary>
    internal static InvalidDataException Damaged(string what) => new($"The port is damaged: {what}. Another process wrote over the arena.");

    /// <summary>How far receiver and sender are.</summary>
    /// <exception cref="InvalidDataException">That can't be.</exception>
    internal (long Taken, long Tail) ReadCounters()
    {
        while (true)
        {
            long taken = Volatile.Read(ref Port.Taken);
            long tail = Volatile.Read(ref Port.Tail);
            if (tail >= taken && tail - taken <= Depth)
                return (taken, tail);
            if (Volatile.Read(ref Port.Taken) == taken)
                throw Damaged($"{taken} were received, {tail} sent");
        }
    }

    /// <summary>The object of a number that is next to be received; null when it was dropped meanwhile.</summary>
    /// <exception cref="InvalidDataException">Something else is there.</exception>
    internal Reference? ReadNext(long number)
    {
        if (TryRead(number, out Reference reference))
            return reference;
        return Volatile.Read(ref Port.Taken) != number ? null : throw Damaged($"number {number} is {reference.Word:X}");
    }

    /// <summary>The object of a number, which may be received already.</summary>
    /// <exception cref="InvalidDataException">Something else is there.</exception>
    internal Reference Read(long number) =>
        TryRead(number, out Reference reference) ? reference : throw Damaged($"number {number} is {reference.Word:X}");

    /// <summary>Reads the object of a number.</summary>
    /// <returns><see langword="false"/> when something else is there.</returns>
    internal bool TryRead(long number, out Reference reference) =>
        Port.Entry(number, Depth).TryRead(out reference) && reference.Head < _shape.Granules;
}
