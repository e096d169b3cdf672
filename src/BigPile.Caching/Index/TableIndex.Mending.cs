using System;
using System.Collections.Generic;
using System.Numerics;

namespace BigPile.Caching.Index;

/// <summary>Mending what was damaged in the file of an index: what can't be right is put right, or goes.</summary>
internal sealed unsafe partial class TableIndex
{
    private const int ProbesUntilRepair = 1000;

    /// <summary>Told when something in the index turns out to be damaged, and was mended as far as it can be.</summary>
    internal Action Damaged { get; init; } = static () => { };

    /// <summary>Begins to look at all buckets, one by one, by <see cref="InspectLocked"/>.</summary>
    internal void BeginInspection()
    {
        Overflow.BeginInspection();
        _ = ReachLinesLocked(MarksLocked); // the list of marks gives no line back: none of its lines is a bucket's
    }

    /// <summary>Ends what <see cref="BeginInspection"/> began.</summary>
    /// <param name="isWhole">Whether all buckets were looked at.</param>
    internal void EndInspection(bool isWhole)
    {
        if (!Overflow.EndInspection(isWhole))
            Damaged();
    }

    /// <summary>Looks whether what stands in a bucket can be right, and takes out what can't.</summary>
    internal void InspectLocked(in LockedBucket bucket)
    {
        Bucket* last = ReachLinesLocked(bucket);
        if (last->Next != 0)
            CutLocked(last);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Address != 0 && IsOf(bucket, place.Value.KnownHash(bucket.Number)))
                continue;
            place.Store(default);
            Damaged();
        }
    }

    // Notes which lines a bucket leads to, and gives the last one that is its own.
    private Bucket* ReachLinesLocked(in LockedBucket bucket)
    {
        Bucket* line = bucket.First;
        ulong name = bucket.Number;
        while (line->Next != 0 && Overflow.TryReach(line->Next, name))
        {
            name = line->Next | IndexHead.OverflowBit;
            line = Overflow.At(line->Next);
            line->SetLevelLocked(0); // only the first line of a bucket has a state
        }
        return line;
    }

    /// <summary>Whether a locked bucket is that of a hash.</summary>
    internal static bool IsOf(in LockedBucket bucket, ulong hash) => (hash & MaskOf(bucket.First->Level)) == bucket.Number;

    /// <summary>Ends a bucket's chain at a line. What was behind it is lost to the index, and found by a walk.</summary>
    internal void CutLocked(Bucket* line)
    {
        line->Next = 0;
        Damaged();
    }

    /// <summary>Ends the chain of a locked bucket where it leads back into itself, or to a line that there is not.</summary>
    internal void EndChainLocked(Bucket* first)
    {
        const int UsualLines = 64;
        Bucket* line = first;
        for (int lines = 1; lines < UsualLines && Next(line) != null; lines++)
            line = Next(line);
        if (Next(line) != null)
            line = LastOfAll(first);
        if (line->Next != 0)
            CutLocked(line);
    }

    // The last line before one that was come by already.
    private Bucket* LastOfAll(Bucket* first)
    {
        Bucket* line = first;
        var seen = new HashSet<nint> { (nint)first };
        while (Next(line) != null && seen.Add((nint)Next(line)))
            line = Next(line);
        return line;
    }

    private void Mend(ulong number)
    {
        if (number >= BucketCount)
            return;
        using LockedBucket bucket = LockBucket(number);
    }

    // A bucket's level follows from how many there are, as they are split in turn; any other one was damaged in the file.
    private void MendLocked(ulong number)
    {
        Bucket* bucket = _lines.At(number);
        int level = LevelOf(number);
        if (bucket->State == Bucket.StateOf(level))
            return;
        bucket->SetLevelLocked(level);
        Damaged();
    }

    /// <summary>
    /// The level of a bucket that there is: buckets are split in turn, so those before the next one to be split have one bit more.
    /// </summary>
    internal int LevelOf(ulong number)
    {
        ulong count = BucketCount;
        int level = BitOperations.Log2(count);
        ulong whole = 1UL << level;
        return number < count - whole || number >= whole ? level + 1 : level;
    }
}
