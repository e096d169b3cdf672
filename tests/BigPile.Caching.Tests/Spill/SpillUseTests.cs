using System;

namespace BigPile.Caching.Tests.Spill;

/// <summary>What is a use of a spilled entry, and what is none.</summary>
public sealed class SpillUseTests
{
    private static readonly EntryOptions Pinned = new() { Priority = EntryPriority.NeverEvict };

    [Fact]
    public void A_use_of_a_sliding_entry_puts_its_end_off_wherever_it_is()
    {
        var time = new ManualTime();
        using var cache = new SpillingCache(time);
        cache.Table.Put(-1, SpillingCache.Value(-1), new EntryOptions { Sliding = TimeSpan.FromSeconds(10) });
        for (int round = 0; round < 4; round++)
        {
            cache.Displace(1_000_000 * (round + 1));
            time.Advance(TimeSpan.FromSeconds(7));
            Assert.True(cache.Table.Touch(-1), $"round {round}");
        }
        cache.Displace(9_000_000);
        time.Advance(TimeSpan.FromSeconds(11));
        Assert.False(cache.Table.ContainsKey(-1));
    }

    [Fact]
    public void A_use_puts_the_end_off_also_where_nothing_in_memory_may_go_for_the_entry()
    {
        var time = new ManualTime();
        using var cache = new SpillingCache(time);
        cache.Table.Put(-1, SpillingCache.Value(-1), new EntryOptions { Sliding = TimeSpan.FromSeconds(100) });
        cache.Displace();
        for (int key = 0; cache.Table.Put(key, SpillingCache.Value(key), Pinned) != PutResult.Collision; key++)
        {
        }
        for (int round = 0; round < 10; round++)
        {
            time.Advance(TimeSpan.FromSeconds(20));
            DateTimeOffset before = time.GetUtcNow() + TimeSpan.FromSeconds(round == 0 ? 80 : 86.25); // written a sixteenth ahead
            Assert.True(cache.Table.TryGetEntry(-1, out TableEntry<int> peeked), $"round {round}");
            Assert.Equal(before, peeked.ExpiresAt); // a peek is no use
            Assert.Equal(SpillingCache.Value(-1), cache.Table.Get(-1));
            Assert.True(cache.Table.TryGetEntry(-1, out TableEntry<int> used), $"round {round}");
            Assert.Equal(time.GetUtcNow() + TimeSpan.FromSeconds(106.25), used.ExpiresAt);
        }
        Assert.True(cache.Table.TryLease(-1, out PileLease? lease, out _));
        using (lease)
            Assert.Equal(SpillingCache.Value(-1), lease.Span);
        Assert.Equal(0, cache.Table.Statistics.SpillReturns);
        time.Advance(TimeSpan.FromSeconds(107));
        Assert.False(cache.Table.ContainsKey(-1));
    }

    [Fact]
    public void What_is_refused_is_no_use()
    {
        var time = new ManualTime();
        using var cache = new SpillingCache(time);
        cache.Table.Put(-1, SpillingCache.Value(-1), new EntryOptions { Sliding = TimeSpan.FromSeconds(100) }, out EntryInfo info);
        cache.Displace();
        for (int round = 0; round < 4; round++)
        {
            time.Advance(TimeSpan.FromSeconds(20));
            Assert.False(cache.Table.TryGet(-1, TimeSpan.FromSeconds(1), out _));
            Assert.False(cache.Table.Remove(-1, info.Version + 1));
            Assert.False(cache.Table.Update(-1, SpillingCache.Value(-1, 1), info.Version + 1, out _));
        }
        Assert.Equal(0, cache.Table.Statistics.SpillReturns);
        time.Advance(TimeSpan.FromSeconds(21));
        Assert.False(cache.Table.ContainsKey(-1));
    }
}
