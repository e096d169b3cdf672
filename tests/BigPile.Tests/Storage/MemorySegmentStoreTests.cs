using System;
using BigPile.Allocation;
using BigPile.Memory;

namespace BigPile.Tests.Storage;

public sealed class MemorySegmentStoreTests
{
    private const int LengthBytes = 8 << 20;

    [Fact]
    public void A_prepared_segment_is_given_out_once_and_all_zero()
    {
        using var store = new MemorySegmentStore(StoreKind.Native, hugePages: true);
        Prepare(store, LengthBytes);
        using MemoryRegion first = store.Create(0, LengthBytes);
        Assert.False(store.HasSpare);
        Assert.Equal(LengthBytes, first.LengthBytes);
        Assert.False(first.GetSpan(0, LengthBytes).ContainsAnyExcept((byte)0));
        first.GetSpan(0, LengthBytes).Fill(1);
        using MemoryRegion second = store.Create(1, LengthBytes);
        Assert.False(second.GetSpan(0, LengthBytes).ContainsAnyExcept((byte)0));
    }

    [Fact]
    public void A_prepared_segment_of_another_length_is_kept_for_later()
    {
        using var store = new MemorySegmentStore(StoreKind.Native, hugePages: false);
        Prepare(store, LengthBytes);
        using MemoryRegion other = store.Create(0, LengthBytes / 2);
        Assert.Equal(LengthBytes / 2, other.LengthBytes);
        Assert.True(store.HasSpare);
    }

    [Fact]
    public void A_closed_store_keeps_no_segment()
    {
        var store = new MemorySegmentStore(StoreKind.Native, hugePages: false);
        Prepare(store, LengthBytes);
        store.Dispose();
        Assert.False(store.HasSpare);
        store.Prepare(LengthBytes, LengthBytes);
        Assert.False(store.HasSpare);
    }

    [Fact]
    public void Managed_segments_are_not_prepared()
    {
        using var store = new MemorySegmentStore(StoreKind.Managed, hugePages: false);
        store.Prepare(LengthBytes, LengthBytes);
        Assert.False(store.HasSpare);
        using MemoryRegion region = store.Create(0, LengthBytes);
        Assert.Equal(StoreKind.Managed, region.Kind);
    }

    private static void Prepare(MemorySegmentStore store, long lengthBytes)
    {
        store.Prepare(lengthBytes, lengthBytes);
        Eventually.True(() => store.HasSpare);
    }
}
