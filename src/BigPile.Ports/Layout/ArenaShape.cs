using System.Diagnostics;
using System.IO;
using System.Numerics;

namespace BigPile.Ports.Layout;

/// <summary>The layout of an arena: it follows from five numbers in the header.</summary>
/// <param name="GranuleBytes">The allocation unit in bytes: a power of two.</param>
/// <param name="Granules">The number of granules.</param>
/// <param name="Ports">The number of ports.</param>
/// <param name="Depth">The greatest number of objects in flight in a port.</param>
/// <param name="MulticastPorts">The number of multicast ports.</param>
internal readonly record struct ArenaShape(long GranuleBytes, long Granules, long Ports, long Depth, long MulticastPorts)
{
    internal const int Processes = 64; // the bits of a holder mask
    internal const long HeadBytes = 4096;
    internal const long MaxGranules = 1L << Reference.HeadBits;
    internal const long MaxPorts = 4096;
    internal const long MaxDepth = 65536;
    internal const long MinGranuleBytes = 64;
    internal const long MaxGranuleBytes = 1 << 20;
    private const long PageBytes = 4096;
    private const long LineBytes = 64;

    private static long SlotsAt => HeadBytes;

    private static long PortsAt => SlotsAt + (Processes * SlotRecord.Bytes);

    private long RingBytes => Depth * RingEntry.Bytes;

    private long PortBytes => PortRecord.Bytes + RingBytes;

    private long MulticastAt => Rounded(PortsAt + (Ports * PortBytes), LineBytes);

    private long MulticastBytes => Rounded(PortBytes, LineBytes) + (MulticastRecord.MaxReceivers * MemberRecord.Bytes);

    private long ObjectsAt => MulticastAt + (MulticastPorts * MulticastBytes);

    /// <summary>The offset of the granules: page-aligned.</summary>
    internal long DataAt => Rounded(ObjectsAt + (Granules * ObjectRecord.Bytes), PageBytes);

    internal long LengthBytes => Rounded(DataAt + (Granules * GranuleBytes), PageBytes);

    /// <summary>Whether all numbers are within their limits, so that no sum of them overflows.</summary>
    internal bool IsSound =>
        BitOperations.IsPow2(GranuleBytes) && GranuleBytes is >= MinGranuleBytes and <= MaxGranuleBytes
        && Granules is >= 1 and <= MaxGranules && Ports is >= 1 and <= MaxPorts && Depth is >= 1 and <= MaxDepth
        && BitOperations.IsPow2(Depth) && MulticastPorts is >= 0 and <= MaxPorts && Granules * GranuleBytes < ChecksummedLength.MaxBytes;

    internal unsafe SlotRecord Slot(byte* start, int slot)
    {
        Debug.Assert(slot is >= 0 and < Processes, "A slot that was read from the arena was validated.");
        return new SlotRecord(start + SlotsAt + (slot * SlotRecord.Bytes));
    }

    internal unsafe PortRecord Port(byte* start, int port)
    {
        Debug.Assert(port >= 0 && port < Ports, "The number of a port leads to one of the arena.");
        return new PortRecord(start + PortsAt + (port * PortBytes));
    }

    internal unsafe MulticastRecord Multicast(byte* start, int port)
    {
        Debug.Assert(port >= 0 && port < MulticastPorts, "The number of a multicast port leads to one of the arena.");
        return new MulticastRecord(start + MulticastAt + (port * MulticastBytes), Rounded(PortBytes, LineBytes));
    }

    internal unsafe ObjectRecord Object(byte* start, long head)
    {
        Debug.Assert(head >= 0 && head < Granules, "A granule that was read from the arena was validated.");
        return new ObjectRecord(start + ObjectsAt + (head * ObjectRecord.Bytes));
    }

    internal unsafe byte* Data(byte* start, long head)
    {
        Debug.Assert(head >= 0 && head < Granules, "Payloads are within the arena.");
        return start + DataAt + (head * GranuleBytes);
    }

    /// <summary>The number of granules of an object: at least one, since the first granule is its name.</summary>
    internal long GranulesOf(long lengthBytes)
    {
        Debug.Assert(lengthBytes >= 0 && lengthBytes <= Granules * GranuleBytes, "No object is longer than the arena.");
        return lengthBytes == 0 ? 1 : (lengthBytes - 1) / GranuleBytes + 1;
    }

    /// <summary>Writes the header; the word that marks it as complete is stored last.</summary>
    internal unsafe void WriteHead(byte* start, long lockFile)
    {
        Debug.Assert(IsSound, "Other processes refuse an arena whose numbers are out of range.");
        var head = new ArenaHead(start);
        head.GranuleBytes = GranuleBytes;
        head.Granules = Granules;
        head.Ports = Ports;
        head.Depth = Depth;
        head.MulticastPorts = MulticastPorts;
        head.LengthBytes = LengthBytes;
        head.LockFile = lockFile;
        head.Finish();
    }

    /// <summary>Reads a header; null if it was never finished.</summary>
    /// <exception cref="InvalidDataException">The header is of another version, or not an arena's.</exception>
    internal static unsafe ArenaShape? ReadHead(byte* start, long lengthBytes, long lockFile, string path)
    {
        var head = new ArenaHead(start);
        if (head.IsUnfinished)
            return null;
        var shape = new ArenaShape(head.GranuleBytes, head.Granules, head.Ports, head.Depth, head.MulticastPorts);
        head.Check(path);
        if (!shape.IsSound || shape.LengthBytes != lengthBytes || head.LengthBytes != lengthBytes)
            throw new InvalidDataException($"The head of the arena '{path}' does not describe a file of {lengthBytes:N0} bytes.");
        if (head.LockFile != lockFile)
        {
            throw new InvalidDataException(
                $"The lock file of the arena '{path}' was replaced, so processes that have the arena open would not exclude those "
                + "that open it now. Close it everywhere, and remove it.");
        }
        return shape;
    }

    private static long Rounded(long value, long step) => (value + step - 1) / step * step;
}
