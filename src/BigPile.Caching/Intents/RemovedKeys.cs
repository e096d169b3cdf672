using System;
using System.Numerics;
using System.Threading;
using BigPile.Caching.Index;

namespace BigPile.Caching.Intents;

/// <summary>The keys removed since an inspection of the index began, by hash tag.</summary>
/// <remarks>
/// A block that no slot leads to is inserted again unless its key was removed or evicted since the inspection began. Where that can't be
/// told, because too many keys were removed or another process removed them, the block is freed: that costs a miss, while keeping it could
/// bring back a removed value. Removals from before the inspection are not known: Durability/crash/tables.md says which are lost.
/// Thread safety: all members may be called concurrently. A key is added and looked up under its bucket's lock.
/// </remarks>
/// <param name="entries">About how many entries there are.</param>
/// <param name="anyUpTo">Every entry up to this version counts as removed.</param>
internal sealed class RemovedKeys(long entries, ulong anyUpTo)
{
    private const int LeastCapacity = 1 << 14;
    private const int MostCapacity = 1 << 20;
    private const int CellsPerEntry = 4; // more than can be needed: probes stay short
    private const int MostProbes = 64; // then the removal counts for every key

    private ulong _anyUpTo = anyUpTo; // entries up to this version count as removed; raised by any thread
    private Cell[]? _cells; // allocated on the first removal

    /// <summary>Whether a key with this tag may have been removed since this version was put.</summary>
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
            // A free cell ends the search: Add takes the first free one, and none becomes free again.
            if (found == wanted || found == 0)
                return found != 0 && version <= Volatile.Read(ref cell.UpTo);
        }
        return false;
    }

    /// <summary>Records that a key was removed.</summary>
    /// <param name="tag">Its tag.</param>
    /// <param name="upTo">A version not below that of any earlier put.</param>
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
        // No cell: from here on all that was put before counts as removed. That costs misses, and brings nothing back.
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

    /// <summary>One tag (plus one; 0: free), and the version up to which entries with it were removed.</summary>
    private struct Cell
    {
        internal uint Tag; // claimed by compare-exchange, never given back
        internal ulong UpTo; // only raised
    }
}
