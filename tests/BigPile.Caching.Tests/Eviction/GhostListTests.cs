using System;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Tests.Eviction;

public sealed class GhostListTests
{
    private const int Capacity = 5_000;

    [Fact]
    public void Memory_is_taken_at_the_first_eviction_and_for_the_entries_that_there_are()
    {
        using var ghosts = new GhostList();
        Assert.Equal(GhostKind.None, ghosts.Take(7, out _));
        Assert.Equal(0, ghosts.SizeBytes);
        long neededBytes = ghosts.NeededBytes(10_000);
        ghosts.Add(7, GhostKind.Small, share: 0.0001, entries: 10_000);
        Assert.Equal(neededBytes, ghosts.SizeBytes);
        Assert.InRange(ghosts.SizeBytes, 4 * 10_000, 5 * 10_000);
        Assert.Equal(GhostKind.Small, ghosts.Take(7, out _));
        Assert.Equal(GhostKind.None, ghosts.Take(7, out _));
    }

    [Fact]
    public void What_was_evicted_is_remembered_with_its_queue_for_a_capacity_of_evictions()
    {
        using var ghosts = new GhostList();
        Assert.InRange(KnownOf(ghosts, Capacity / 2, static _ => Capacity), Capacity / 2 * 9 / 10, Capacity / 2);
    }

    /// <summary>As when small entries take the place of large ones.</summary>
    [Fact]
    public void What_is_remembered_is_kept_while_there_are_many_more_entries()
    {
        using var ghosts = new GhostList();
        Assert.InRange(KnownOf(ghosts, Capacity / 2, static i => 100 + 2 * i), Capacity / 2 * 8 / 10, Capacity / 2);
        ghosts.CheckInvariants("ghosts");
        long neededBytes = ghosts.NeededBytes(10);
        Assert.InRange(neededBytes, 1, ghosts.SizeBytes / 16);
        ghosts.Add(1, GhostKind.Small, share: 0.0001, entries: 10);
        Assert.Equal(neededBytes, ghosts.SizeBytes);
    }

    // How many are known after so many evictions. The main queue's are known for a twentieth of the capacity.
    private static int KnownOf(GhostList ghosts, uint evictions, Func<uint, long> entriesAt)
    {
        for (uint i = 1; i <= evictions; i++)
            ghosts.Add(i * 2_654_435_761, KindOf(i), 1.0 / Capacity, entriesAt(i));
        int known = 0;
        for (uint i = 1; i <= evictions; i++)
            known += ghosts.Take(i * 2_654_435_761, out _) == KindOf(i) ? 1 : 0;
        return known;

        static GhostKind KindOf(uint i) => i % 20 == 0 ? GhostKind.Main : GhostKind.Small;
    }
}
