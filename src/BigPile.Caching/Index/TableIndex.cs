using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>A table's index: buckets of a cache line each, split one by one (linear hashing, Litwin 1980).</summary>
/// <remarks>
/// <para>
/// Readers take no lock. A writer holds the lock of the key's bucket for the whole change: next version, new block, slot, free of the old
/// block. So two changes of one key have the same order in the index, in the blocks and in the versions.
/// </para>
/// <para>
/// In an index of n buckets, a key's bucket is the low bits of its hash, as many as n needs, or one bit less if that is n or above.
/// Growing by one splits the next bucket in turn. Buckets that are not split yet are up to twice as full as the others; entries that do
/// not fit are in overflow lines.
/// </para>
/// </remarks>
internal sealed unsafe partial class TableIndex : IDisposable
{
    /// <summary>The fewest buckets: slots do not have the low bits of the hash, so a bucket's number must have them.</summary>
    internal const int MinBuckets = 1 << IndexSlot.BucketHashBits;

    private const double EntriesPerBucket = 4.2;
    private const int MaxLevel = IndexSlot.KnownHashBits;

    /// <summary>The most lines of a bucket. A longer chain can only be damage.</summary>
    internal const int MostLines = 1 << 16;

    private readonly IndexStorage _place;
    private readonly IndexHead* _head;
    private readonly LineStore _lines;
    private ulong _bucketCount; // a copy of the head's: callers outside a critical region may ask for it when the head is unmapped

    /// <summary>Opens the index of a storage, or makes one with capacity for a number of entries.</summary>
    /// <param name="place">The storage; disposed with this.</param>
    /// <param name="entries">The capacity of a new index.</param>
    internal TableIndex(IndexStorage place, long entries)
    {
        _place = place;
        _head = place.Head;
        _lines = new LineStore(place.Buckets);
        Overflow = new OverflowLines(place);
        _bucketCount = _head->BucketCount;
        if (BucketCount == 0)
            Make(BucketsFor(entries));
        else
            _lines.EnsureAll(BucketCount, touches: false);
    }

    internal IndexStorage Storage => _place;

    internal IndexHead* Head => _head;

    /// <summary>Whether the index has a flag set.</summary>
    internal bool HasFlag(int flag) => _head->HasFlag(flag);

    /// <summary>
    /// Sets or clears a flag. Set it before the change that it announces: after a kill the flags may claim too much, never too little.
    /// </summary>
    internal void SetFlag(int flag, bool isSet) => _head->SetFlag(flag, isSet);

    internal OverflowLines Overflow { get; }

    internal readonly BucketLocks Locks = new();

    /// <summary>The number of buckets; it only grows.</summary>
    internal ulong BucketCount
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _bucketCount);
    }

    /// <summary>The bytes of memory that hold buckets and overflow lines.</summary>
    internal long SizeBytes => _lines.SizeBytesFor((long)BucketCount) + (Overflow.Store?.SizeBytesFor(Overflow.End) ?? 0);

    internal LineStore Lines => _lines;

    /// <summary>Whether the index may allocate a number of bytes more.</summary>
    internal Func<long, bool> MayGrowBy { get; init; } = static _ => true;

    /// <summary>The number of buckets for a number of entries: a power of two.</summary>
    internal static ulong BucketsFor(long entries) =>
        Math.Max(MinBuckets, BitOperations.RoundUpToPowerOf2((ulong)(Math.Min(entries, 1L << MaxLevel) / EntriesPerBucket)));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Bucket* At(ulong bucket) => _lines.At(bucket);

    /// <summary>The next line of a bucket, or null.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Bucket* Next(Bucket* line)
    {
        uint next = line->Next;
        return next == 0 ? null : Overflow.Find(next);
    }

    /// <summary>The number of a hash's bucket, by the number of buckets alone; a split under way may have moved the entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Locate(ulong hash)
    {
        ulong count = BucketCount;
        ulong mask = ulong.MaxValue >> BitOperations.LeadingZeroCount(count - 1);
        ulong bucket = hash & mask;
        return bucket < count ? bucket : bucket & (mask >> 1);
    }

    /// <summary>Prefetches the bucket of a hash.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(ulong hash)
    {
        if (Sse.IsSupported)
            Sse.Prefetch0(_lines.At(Locate(hash)));
    }

    /// <summary>The bucket of a hash, not validated against a split; for hints only.</summary>
    internal Bucket* Peek(ulong hash) => _lines.At(Locate(hash));

    /// <summary>Finds the first line of a hash's bucket, and its state. Waits while a split moves its entries.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Bucket* Find(ulong hash, out byte state)
    {
        return TryFindUnmoved(hash, out Bucket* bucket, out state) ? bucket : FindFrom(hash, Locate(hash), out state);
    }

    /// <summary>
    /// Finds the bucket of a hash, unless a split moves its entries or the index has just grown. Then <see cref="Find"/> finds it.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryFindUnmoved(ulong hash, out Bucket* bucket, out byte state)
    {
        ulong number = Locate(hash);
        bucket = _lines.At(number);
        state = bucket->State;
        return !Bucket.IsMoving(state) && number == (hash & MaskOf(Bucket.LevelOf(state)));
    }

    /// <summary>Locks the bucket of a hash until the result is disposed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal LockedBucket Lock(ulong hash)
    {
        ulong number = Locate(hash);
        if (Locks.TryEnter(number))
        {
            Bucket* bucket = _lines.At(number);
            if (number == (hash & MaskOf(bucket->Level)))
                return new LockedBucket(this, bucket, number);
            Locks.Exit(number);
        }
        return LockFrom(hash, number);
    }

    /// <summary>Locks a bucket by its number until the result is disposed, and repairs its level.</summary>
    internal LockedBucket LockBucket(ulong number)
    {
        Bucket* bucket = WaitForLock(number);
        MendLocked(number);
        return new LockedBucket(this, bucket, number);
    }

    /// <summary>As <see cref="LockBucket"/>, but keeps the level: a kill may have interrupted a split of the bucket.</summary>
    internal LockedBucket LockAsFound(ulong number) => new(this, WaitForLock(number), number);

    /// <summary>The occupied slots of a bucket that no thread changes.</summary>
    internal BucketSlots SlotsOf(ulong number) => new(this, At(number));

    /// <summary>The lines of a bucket; a hint if other threads may change it.</summary>
    internal BucketLines LinesOf(ulong number) => new(this, At(number));

    /// <summary>Finds an empty slot in a locked bucket. Adds a line if there is none, and the bucket may have one more.</summary>
    /// <param name="bucket">The bucket.</param>
    /// <param name="maxLines">The most lines that the bucket may have.</param>
    /// <param name="place">The slot.</param>
    /// <param name="failure">Why there is none: no line can be added.</param>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    internal bool TryFindEmptyLocked(in LockedBucket bucket, int maxLines, out SlotPlace place, out PileException? failure)
    {
        failure = null;
        Bucket* line = bucket.First;
        for (int lines = 1; ; lines++)
        {
            int slot = Bucket.FindEmptyLocked(line);
            if (slot >= 0)
            {
                place = new SlotPlace(line, slot);
                return true;
            }
            Bucket* next = lines < MostLines ? Next(line) : null;
            if (next == null)
                break;
            line = next;
            maxLines--;
        }
        place = default;
        if (maxLines <= 1)
            return false;
        if (line->Next != 0)
            CutLocked(line); // damage: the next line does not exist, or the chain has a cycle
        Bucket* added = AddLineLocked(bucket, line, out failure);
        place = failure == null ? new SlotPlace(added, 0) : default;
        return failure == null;
    }

    /// <summary>The list of tag marks, as a bucket. The caller holds the marks' own lock, and must not dispose the result.</summary>
    internal LockedBucket MarksLocked => new(this, &_head->Marks, IndexHead.MarksName);

    /// <summary>Adds an empty line at the end of a bucket.</summary>
    internal Bucket* AddLineLocked(in LockedBucket bucket, out PileException? failure)
    {
        Bucket* last = bucket.First;
        for (int lines = 1; lines < MostLines && Next(last) != null; lines++)
            last = Next(last);
        if (last->Next != 0)
            CutLocked(last);
        return AddLineLocked(bucket, last, out failure);
    }

    private Bucket* AddLineLocked(in LockedBucket bucket, Bucket* last, out PileException? failure)
    {
        Bucket* added = Overflow.TakeBehind(last, NameOf(bucket, last), out failure);
        Debug.Assert(failure != null || Bucket.IsEmptyLocked(added), "A new line has no entries.");
        return added;
    }

    /// <summary>A line's name in the head: its number, with <see cref="IndexHead.OverflowBit"/> if it is an overflow line.</summary>
    internal ulong NameOf(in LockedBucket bucket, Bucket* line)
    {
        if (line == bucket.First)
            return bucket.Number;
        Bucket* before = bucket.First;
        while (Next(before) != line && Next(before) != null) // damage: another bucket that shares the line may have cut it off
            before = Next(before);
        return before->Next | IndexHead.OverflowBit;
    }

    public void Dispose()
    {
        _place.Dispose(); // first: a background thread that makes lines then fails, and stops
        _lines.Dispose();
        Overflow.Dispose();
        Locks.Dispose();
    }

    private static ulong MaskOf(int level) => (1UL << level) - 1;

    private Bucket* WaitForLock(ulong number)
    {
        Locks.Enter(number);
        return _lines.At(number);
    }

    /// <summary>Finds the bucket of a hash, from a bucket that had it before the index grew.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal Bucket* FindFrom(ulong hash, ulong number, out byte state)
    {
        var spinner = default(SpinWait);
        for (int probe = 1; ; probe++)
        {
            Bucket* bucket = _lines.At(number);
            state = bucket->State;
            ulong responsible = hash & MaskOf(Bucket.LevelOf(state));
            if (!Bucket.IsMoving(state) && responsible == number)
                return bucket;
            if (probe % ProbesUntilRepair == 0)
                Mend(number); // a split would have ended by now, so the state may be damaged
            else if (Bucket.IsMoving(state))
                spinner.SpinOnce(sleep1Threshold: -1);
            else
                number = NextTowards(responsible, number) is var next && next < BucketCount ? next : Locate(hash);
        }
    }

    // The number was computed before the index grew, perhaps by more than a doubling. A bucket's level counts its own splits only. So the
    // first bucket that was split off towards the responsible one exists for certain; the responsible one may not be made yet.
    private static ulong NextTowards(ulong responsible, ulong number)
    {
        ulong missing = responsible ^ number;
        return number | (missing & (0 - missing));
    }

    /// <summary>Locks the bucket of a hash, from a bucket that had it before the index grew.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal LockedBucket LockFrom(ulong hash, ulong number)
    {
        while (true)
        {
            Bucket* bucket = WaitForLock(number);
            MendLocked(number);
            ulong responsible = hash & MaskOf(bucket->Level);
            if (responsible == number)
                return new LockedBucket(this, bucket, number);
            Locks.Exit(number);
            number = NextTowards(responsible, number);
        }
    }
}
