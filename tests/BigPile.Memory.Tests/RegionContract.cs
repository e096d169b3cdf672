using System;

namespace BigPile.Memory.Tests;

/// <summary>What every region promises; each store's test class is this suite and a way to make one.</summary>
public abstract class RegionContract
{
    private const int LengthBytes = 3 * 1024 * 1024 + 4096;

    protected abstract StoreKind Kind { get; }

    protected abstract MemoryRegion Create(long lengthBytes);

    [Fact]
    public void A_new_region_states_its_length_and_store_and_is_all_zero()
    {
        using MemoryRegion region = Create(LengthBytes);
        Assert.Equal(LengthBytes, region.LengthBytes);
        Assert.Equal(Kind, region.Kind);
        Assert.False(region.GetSpan(0, LengthBytes).ContainsAnyExcept((byte)0));
    }

    [Fact]
    public void Every_byte_keeps_what_was_written()
    {
        using MemoryRegion region = Create(LengthBytes);
        Span<byte> all = region.GetSpan(0, LengthBytes);
        for (int i = 0; i < all.Length; i++)
            all[i] = (byte)(i * 31 + (i >> 8));
        region.Flush();
        Span<byte> again = region.GetSpan(0, LengthBytes);
        for (int i = 0; i < again.Length; i++)
            Assert.Equal((byte)(i * 31 + (i >> 8)), again[i]);
    }

    [Fact]
    public void Views_share_the_bytes()
    {
        using MemoryRegion region = Create(LengthBytes);
        region.GetSpan(LengthBytes - 8, 8)[7] = 42;
        Assert.Equal(42, region.GetSpan(LengthBytes - 1, 1)[0]);
    }

    [Fact]
    public void A_byte_written_by_one_thread_is_seen_by_another()
    {
        using MemoryRegion region = Create(LengthBytes);
        SideBySide.Start(() => region.GetSpan(100, 1)[0] = 7).Wait();
        Assert.Equal(7, region.GetSpan(100, 1)[0]);
    }

    [Theory]
    [InlineData(-1, 1)]
    [InlineData(0, -1)]
    [InlineData(0, LengthBytes + 1)]
    [InlineData(LengthBytes, 1)]
    [InlineData(long.MaxValue, 1)]
    public void A_view_outside_is_refused(long offsetBytes, int lengthBytes)
    {
        using MemoryRegion region = Create(LengthBytes);
        Assert.Throws<ArgumentOutOfRangeException>(() => region.GetSpan(offsetBytes, lengthBytes).Length);
    }

    [Fact]
    public void An_empty_view_at_the_end_is_fine()
    {
        using MemoryRegion region = Create(LengthBytes);
        Assert.Equal(0, region.GetSpan(LengthBytes, 0).Length);
    }

    [Fact]
    public void A_disposed_region_gives_no_view_and_may_be_disposed_again()
    {
        MemoryRegion region = Create(LengthBytes);
        region.Dispose();
        region.Dispose();
        Assert.Throws<ObjectDisposedException>(() => region.GetSpan(0, 1).Length);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-5)]
    public void A_region_without_bytes_is_refused(long lengthBytes) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Create(lengthBytes).Dispose());
}
