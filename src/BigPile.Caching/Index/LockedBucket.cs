using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Caching.Index;

/// <summary>A bucket that is locked until this is disposed: nothing else unlocks one.</summary>
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

    /// <summary>The bucket's first line.</summary>
    internal Bucket* First { get; }

    internal ulong Number { get; }

    /// <summary>The lines, one after another.</summary>
    internal BucketLines Lines => new(_index, First);

    /// <summary>The slots that are taken, line after line. One may be emptied when it is reached.</summary>
    internal BucketSlots Slots => new(_index, First);

    /// <summary>The slots whose tag is that of a hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BucketMatches Matching(ulong hash) => new(_index, First, IndexSlot.TagOf(hash));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void Dispose()
    {
        Debug.Assert(!Bucket.IsMoving(First->State), "What was moved has arrived.");
        _index.Locks.Exit(Number);
    }
}
