using System;
using BigPile.Caching.Capacity;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>What other threads see of a table's limits while they change, and while entries are replaced.</summary>
public sealed class LimitRaceTests : IDisposable
{
    private static readonly TableOptions InEntries = TestCache.Durable() with { MaxEntries = 1000 };
    private static readonly TableOptions InBytes = InEntries with { MaxBytes = 1 << 30 };

    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    /// <summary>Who asks outside of critical regions gets one limit or the other, never the traces of both.</summary>
    [Fact]
    public void A_limit_that_changes_is_read_whole()
    {
        TableLimits limits = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable()).Core.Limits;
        SideBySide.Rounds(
            new SideBySide.Worker(TestLeg.Steps(3_000_000, 50_000_000), number => limits.End(number % 2 == 0 ? InEntries : InBytes)),
            new SideBySide.Worker(1, _ =>
            {
                long least = long.MaxValue;
                for (int i = 0; i < 1000; i++)
                    least = Math.Min(least, limits.BlockLimitBytes);
                Assert.InRange(least, InBytes.MaxBytes!.Value / 2, long.MaxValue);
            }));
    }

    /// <summary>Otherwise a put that needs what may go would be refused for no reason.</summary>
    [Fact]
    public void What_may_be_evicted_stays_so_while_it_is_replaced_by_its_like()
    {
        const long Footprint = 100_000;
        var own = new OwnEntry(IsThere: true, Footprint, EntryPriority.Low, Address: 0);
        TableLimits limits = _cache.GetOrCreateTable<int, byte[]>(InBytes).Core.Limits;
        Assert.True(limits.TryTake(takesEntry: true, Footprint));
        limits.Exchange(new Reservation(HasEntry: true, Footprint), default, own);
        SideBySide.Rounds(
            new SideBySide.Worker(TestLeg.Steps(1_000_000, 20_000_000), _ => limits.Exchange(default, own, own)),
            new SideBySide.Worker(1, _ =>
            {
                long least = long.MaxValue;
                for (int i = 0; i < 1000; i++)
                    least = Math.Min(least, limits.Budget.EvictableBytes(EntryPriority.Low));
                Assert.Equal(Footprint, least);
            }));
    }
}
