using BigPile.Caching.Index;

namespace BigPile.Caching.Tests;

/// <summary>Slots of an index, taken by hand.</summary>
internal static class IndexSlots
{
    /// <summary>Has a slot of a hash's bucket lead to an address.</summary>
    internal static void Add(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place));
        place.Store(new IndexSlot(hash, address));
    }

    /// <summary>Whether a slot of a hash's bucket leads to an address.</summary>
    internal static bool Contains(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        return bucket.Slots.Has(new IndexSlot(hash, address));
    }

    /// <summary>Empties the first slot that is taken of a hash's bucket.</summary>
    /// <param name="index">The index.</param>
    /// <param name="hash">The hash.</param>
    /// <param name="number">The bucket's number.</param>
    /// <returns>What was in it.</returns>
    internal static IndexSlot TakeOne(TableIndex index, ulong hash, out ulong number)
    {
        using LockedBucket bucket = index.Lock(hash);
        number = bucket.Number;
        foreach (SlotPlace place in bucket.Slots)
        {
            IndexSlot slot = place.Value;
            place.Store(default);
            return slot;
        }
        Assert.Fail($"Bucket {number} has no entry.");
        return default;
    }

    /// <summary>Puts into a hash's bucket what was taken out of it.</summary>
    internal static unsafe void PutBack(TableIndex index, ulong hash, IndexSlot slot)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place));
        place.Line->MarkExpiry();
        place.Store(slot);
    }
}
