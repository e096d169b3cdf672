using System;
using System.Numerics;
using System.Threading;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tables;

/// <summary>Which keys a table lost while its index is compared with the pile: by the part of their hash that slots have.</summary>
/// <remarks>
/// A block that no slot leads to is taken in again unless its key was removed, evicted or outdated since it was put: else it would come
/// back. So where that can't be told, since there were too many or they were noted by another process, the block goes, which costs a miss.
/// Thread safety: all members may be called concurrently; a key is noted and asked for under the lock of its bucket.
/// </remarks>
/// <param name="entries">About how many entries there are.</param>
/// <param name="anyUpTo">Whatever was put up to this version may have been removed before.</param>
internal sealed class RemovedKeys(long entries, ulong anyUpTo)
{
    private const int LeastCapacity = 1 << 14;
    private const int MostCapacity = 1 << 20;
    private const int CellsPerEntry = 4;
    private const int MostProbes = 64;

    private ulong _anyUpTo = anyUpTo;
    private Cell[]? _cells; // made with the first one

    /// <summary>Whether a key with a tag may have been removed since it was put in a version.</summary>
    internal bool MayHave(ulong tag, ulong version)
    {
        if (version <= Volatile.Read(ref _anyUpTo))
            return true;
        if (Volatile.Read(ref _cells) is not { } cells)
            return false;
        uint wanted = FingerprintOf(tag);
        for (int probe = 0; probe < MostProbes; probe++)
        {
            ref Cell cell = ref At(cells, wanted, probe);
            uint found = Volatile.Read(ref cell.Tag);
            if (found == wanted || found == 0)
                return found != 0 && version <= Volatile.Read(ref cell.UpTo);
        }
        return false;
    }

    /// <summary>Notes that a key is no more.</summary>
    /// <param name="tag">Its tag.</param>
    /// <param name="upTo">A version that nothing which was put before is above.</param>
    internal void Add(ulong tag, ulong upTo)
    {
        Cell[] cells = Volatile.Read(ref _cells) ?? Make();
        uint wanted = FingerprintOf(tag);
        for (int probe = 0; probe < MostProbes; probe++)
        {
            ref Cell cell = ref At(cells, wanted, probe);
            uint found = Volatile.Read(ref cell.Tag);
            if (found == 0)
                found = Interlocked.CompareExchange(ref cell.Tag, wanted, 0);
            if (found != 0 && found != wanted)
                continue;
            Raise(ref cell.UpTo, upTo);
            return;
        }
        Raise(ref _anyUpTo, upTo);
    }

    private Cell[] Make()
    {
        var made = new Cell[BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(entries * CellsPerEntry, LeastCapacity, MostCapacity))];
        return Interlocked.CompareExchange(ref _cells, made, null) ?? made;
    }

    private static void Raise(ref ulong version, ulong least)
    {
        ulong before = Volatile.Read(ref version);
        while (before < least && Interlocked.CompareExchange(ref version, least, before) is var now && now != before)
            before = now;
    }

    private static uint FingerprintOf(ulong tag) => (uint)(tag >> IndexSlot.TagOffset) + 1;

    private static ref Cell At(Cell[] cells, uint tag, int probe) =>
        ref cells[(int)((tag * 2654435769u >> 11) + (uint)probe) & (cells.Length - 1)]; // Fibonacci hashing

    /// <summary>A tag, raised by one, and the version up to which entries of its key are no more.</summary>
    private struct Cell
    {
        internal uint Tag;
        internal ulong UpTo;
    }
}
