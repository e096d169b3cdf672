using BigPile.Caching.Index;

namespace BigPile.Caching.Tests;

/// <summary>Slots of an index, taken by hand.</summary>
internal static class IndexSlots
{
    /// <summary>Has a slot of a hash's bucket lead to an address.</summary>
    internal static void Add(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        Assert.True(index.TryFindRoomLocked(bucket, int.MaxValue, out SlotPlace place));
        place.Store(new IndexSlot(hash, address));
    }

    /// <summary>Whether a slot of a hash's bucket leads to an address.</summary>
    internal static bool Contains(TableIndex index, ulong hash, ulong address)
    {
        using LockedBucket bucket = index.Lock(hash);
        return bucket.Slots.Has(new IndexSlot(hash, address));
    }
}
