using BigPile.Caching.Index;

namespace BigPile.Caching.Tests;

/// <summary>Sets and clears slots of an index, without entries.</summary>
internal static class IndexSlots
{
    /// <summary>Points a slot of a hash's bucket to an address.</summary>
    internal static void Add(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
        place.Store(new IndexSlot(hash, address));
    }

    /// <summary>Whether a slot of a hash's bucket points to an address.</summary>
    internal static bool Contains(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        return bucket.Slots.Has(new IndexSlot(hash, address));
    }

    /// <summary>Clears the first occupied slot of a hash's bucket.</summary>
    /// <param name="index">The index.</param>
    /// <param name="hash">The hash.</param>
    /// <param name="number">The bucket's number.</param>
    /// <returns>The slot as it was.</returns>
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

    /// <summary>Stores a cleared slot in a hash's bucket again.</summary>
    internal static unsafe void PutBack(TableIndex index, ulong hash, IndexSlot slot)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
        place.Line->MarkExpiry();
        place.Store(slot);
    }
}
