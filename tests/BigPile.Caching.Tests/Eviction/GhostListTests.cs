using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Tests.Eviction;

public sealed class GhostListTests
{
    [Fact]
    public void Memory_is_taken_at_the_first_eviction_and_for_the_entries_that_there_are()
    {
        using var ghosts = new GhostList();
        ghosts.Resize(long.MaxValue / 2);
        Assert.Equal(GhostKind.None, ghosts.Take(7, out _));
        Assert.Equal(0, ghosts.SizeBytes);
        ghosts.Add(7, GhostKind.Small, liveEntries: 10_000);
        Assert.InRange(ghosts.SizeBytes, 10_000, 1_000_000);
        Assert.Equal(GhostKind.Small, ghosts.Take(7, out _));
        Assert.Equal(GhostKind.None, ghosts.Take(7, out _));
    }

    [Fact]
    public void What_was_evicted_is_remembered_with_its_queue_for_a_capacity_of_evictions()
    {
        const int Capacity = 5_000;
        using var ghosts = new GhostList();
        ghosts.Resize(Capacity);
        for (uint i = 1; i <= Capacity / 2; i++)
            ghosts.Add(i * 2_654_435_761, KindOf(i), Capacity);
        int known = 0;
        for (uint i = 1; i <= Capacity / 2; i++)
            known += ghosts.Take(i * 2_654_435_761, out _) == KindOf(i) ? 1 : 0;
        Assert.InRange(known, Capacity / 2 * 9 / 10, Capacity / 2);

        // The main queue's are known for a twentieth of the capacity.
        static GhostKind KindOf(uint i) => i % 20 == 0 ? GhostKind.Main : GhostKind.Small;
    }

    /// <summary>As when the queues of a large table are being filled, or a priority becomes frequent.</summary>
    [Fact]
    public void There_is_room_for_more_when_there_are_many_more_entries_than_at_the_first_eviction()
    {
        const int Capacity = 100_000;
        const int Evicted = 50_000;
        using var ghosts = new GhostList();
        ghosts.Resize(Capacity);
        ghosts.Add(1, GhostKind.Small, liveEntries: 1);
        for (uint i = 1; i <= Evicted; i++)
            ghosts.Add(i * 2_654_435_761, GhostKind.Small, liveEntries: i * 2);
        int known = 0;
        for (uint i = Evicted * 9 / 10; i <= Evicted; i++)
            known += ghosts.Take(i * 2_654_435_761, out _) == GhostKind.Small ? 1 : 0;
        Assert.InRange(known, Evicted / 10 * 9 / 10, Evicted / 10 + 1);
        Assert.Equal(GhostList.SizeBytesFor(Capacity, Capacity), ghosts.SizeBytes);
    }
}
