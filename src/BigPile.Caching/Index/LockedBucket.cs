using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Checking;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Index;

/// <summary>A bucket that stays locked until this is disposed. Then overflow lines that it does not need any more are returned.</summary>
internal readonly unsafe ref struct LockedBucket
{
    private readonly TableIndex _index;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal LockedBucket(TableIndex index, Bucket* first, ulong number)
    {
        Debug.Assert(number == IndexHead.MarksName || index.Locks.IsTaken(number), "The bucket is locked.");
        _index = index;
        First = first;
        Number = number;
    }

    internal Bucket* First { get; }

    internal ulong Number { get; }

    internal BucketLines Lines => new(_index, First);

    /// <summary>The used slots, line by line. The current slot may be cleared during the enumeration.</summary>
    internal BucketSlots Slots => new(_index, First);

    /// <summary>The used slots that have the tag of this hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BucketMatches Matching(ulong hash) => new(_index, First, IndexSlot.TagOf(hash));

    /// <summary>Moves entries of a line to empty slots of an earlier one, as many as fit. A search that misses one starts over.</summary>
    internal void MoveLocked(Bucket* line, Bucket* earlier)
    {
        foreach (SlotPlace place in Bucket.SlotsOf(line))
        {
            int free = Bucket.FindEmptyLocked(earlier);
            if (free < 0)
                return;
            BucketSplit.Move(place, new SlotPlace(earlier, free));
            CrashPoints.Pass(CrashPoint.LineBetweenEmptied);
            if (!Mutation.MoveNotCounted)
                _index.Locks.CountMove(Number);
            place.Store(default);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        Debug.Assert(!Bucket.IsMoving(First->State), "No split of the bucket is under way.");
        if (First->Next != 0)
            Shorten();
        _index.Locks.Exit(Number);
    }

    // Else a bucket that was full once would keep its lines: what is inserted goes to the first empty slot.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Shorten()
    {
        bool isShorter;
        do
        {
            Bucket* before = First;
            Bucket* last = _index.Next(before);
            for (int lines = 2; last != null && last->Next != 0 && lines < TableIndex.MostLines; lines++)
            {
                before = last;
                last = _index.Next(last);
            }
            if (last == null || last->Next != 0 || last->IsFree || _index.Overflow.IsInspected)
                return; // no more lines; or damage, which an inspection mends
            isShorter = (Bucket.FindEmptyLocked(before) >= 0 || Bucket.IsEmptyLocked(last))
                && _index.Overflow.TryShorten(this, before, _index.NameOf(this, before));
        }
        while (isShorter);
    }
}

/// <summary>Enumerates the lines of a bucket. Without the bucket's lock the result is a hint.</summary>
internal unsafe struct BucketLines(TableIndex index, Bucket* first)
{
    private Bucket* _next = first;
    private int _lines;

    public Bucket* Current { get; private set; }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool MoveNext()
    {
        Current = _next;
        if (Current == null)
            return false;
        _next = ++_lines < TableIndex.MostLines ? index.Next(Current) : null;
        return true;
    }

    public readonly BucketLines GetEnumerator() => this;
}
