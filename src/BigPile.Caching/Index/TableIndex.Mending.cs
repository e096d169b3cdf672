using System;
using System.Collections.Generic;
using System.Numerics;

namespace BigPile.Caching.Index;

/// <summary>Repair of a damaged index: what can't be right is corrected or removed.</summary>
internal sealed unsafe partial class TableIndex
{
    private const int ProbesUntilRepair = 1000;

    /// <summary>Called after damage in the index was found, and repaired as far as possible.</summary>
    internal Action Damaged { get; init; } = static () => { };

    /// <summary>Begins an inspection of all buckets, one by one, by <see cref="InspectLocked"/>.</summary>
    internal void BeginInspection()
    {
        Overflow.BeginInspection();
        _ = ReachLinesLocked(MarksLocked); // the list of marks never returns a line, so none of its lines can become a bucket's
    }

    /// <summary>Ends an inspection.</summary>
    /// <param name="isWhole">Whether all buckets were inspected.</param>
    internal void EndInspection(bool isWhole)
    {
        if (!Overflow.EndInspection(isWhole))
            Damaged();
    }

    /// <summary>Inspects a bucket: cuts a damaged chain, and clears slots that can't be right.</summary>
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

    // Records the lines of a bucket, and returns the last one that no other bucket has.
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

    internal static bool IsOf(in LockedBucket bucket, ulong hash) => (hash & MaskOf(bucket.First->Level)) == bucket.Number;

    /// <summary>Ends a bucket's chain at a line. The index loses the entries of further lines; a walk finds them.</summary>
    internal void CutLocked(Bucket* line)
    {
        line->Next = 0;
        Damaged();
    }

    /// <summary>Ends the chain of a locked bucket where it has a cycle, or links to a line that does not exist.</summary>
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

    // The last line before the chain repeats itself.
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

    // A bucket's level follows from the number of buckets, as they are split in turn. Any other level is damage in the file.
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
    /// The level that a bucket must have. Buckets are split in turn, so those before the next one to split, and those that these splits
    /// made, have a level higher by one.
    /// </summary>
    internal int LevelOf(ulong number)
    {
        ulong count = BucketCount;
        int level = BitOperations.Log2(count);
        ulong whole = 1UL << level;
        return number < count - whole || number >= whole ? level + 1 : level;
    }

    /// <summary>Whether a bucket is the one of a hash. No split is under way.</summary>
    internal bool IsIn(ulong number, ulong hash) => number == (hash & MaskOf(_lines.At(number)->Level));
}
