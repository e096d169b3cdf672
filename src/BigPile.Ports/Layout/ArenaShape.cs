using System.IO;
using System.Numerics;

namespace BigPile.Ports.Layout;

/// <summary>Where everything lies in an arena: it follows from five numbers, which its head states.</summary>
/// <param name="GranuleBytes">The unit of memory: a power of two.</param>
/// <param name="Granules">How many there are.</param>
/// <param name="Ports">How many ports there may be at one time.</param>
/// <param name="Depth">How many objects may be on the way in a port.</param>
/// <param name="MulticastPorts">How many ports with any number of receivers there may be at one time.</param>
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

    /// <summary>Where the memory of the objects begins: at a page.</summary>
    internal long DataAt => Rounded(ObjectsAt + (Granules * ObjectRecord.Bytes), PageBytes);

    /// <summary>The length of the file.</summary>
    internal long LengthBytes => Rounded(DataAt + (Granules * GranuleBytes), PageBytes);

    /// <summary>Whether all numbers are within their bounds, so that no sum of them overflows.</summary>
    internal bool IsSound =>
        BitOperations.IsPow2(GranuleBytes) && GranuleBytes is >= MinGranuleBytes and <= MaxGranuleBytes
        && Granules is >= 1 and <= MaxGranules && Ports is >= 1 and <= MaxPorts && Depth is >= 1 and <= MaxDepth
        && BitOperations.IsPow2(Depth) && MulticastPorts is >= 0 and <= MaxPorts && Granules * GranuleBytes < ChecksummedLength.MaxBytes;

    internal unsafe SlotRecord Slot(byte* start, int slot) => new(start + SlotsAt + (slot * SlotRecord.Bytes));

    internal unsafe PortRecord Port(byte* start, int port) => new(start + PortsAt + (port * PortBytes));

    internal unsafe MulticastRecord Multicast(byte* start, int port) =>
        new(start + MulticastAt + (port * MulticastBytes), Rounded(PortBytes, LineBytes));

    internal unsafe ObjectRecord Object(byte* start, long head) => new(start + ObjectsAt + (head * ObjectRecord.Bytes));

    internal unsafe byte* Data(byte* start, long head) => start + DataAt + (head * GranuleBytes);

    /// <summary>How many granules an object of a length has: one at least, since they are its name.</summary>
    internal long GranulesOf(long lengthBytes) => lengthBytes == 0 ? 1 : (lengthBytes - 1) / GranuleBytes + 1;

    /// <summary>Writes the head; what says that it is whole is stored last.</summary>
    internal unsafe void WriteHead(byte* start, long lockFile)
    {
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

    /// <summary>Reads a head; null where none was finished.</summary>
    /// <exception cref="InvalidDataException">It is one of another version, or no arena's.</exception>
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
                $"The lock file of the arena '{path}' was replaced: who has the arena open and who opens it now would not see each other. "
                + "Close it everywhere, and remove it.");
        }
        return shape;
    }

    private static long Rounded(long value, long step) => (value + step - 1) / step * step;
}
