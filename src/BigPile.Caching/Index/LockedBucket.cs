using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Caching.Index;

/// <summary>A bucket that stays locked until this is disposed.</summary>
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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        Debug.Assert(!Bucket.IsMoving(First->State), "No split of the bucket is under way.");
        _index.Locks.Exit(Number);
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
