using System;
using System.Threading.Tasks;
using BigPile.Caching.Tests.Durability;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Feed;

/// <summary>Readers beside changes of the options.</summary>
public sealed class FeedBesideConfigureTests : KeptFilesTest
{
    private static readonly TableOptions Fed = TestCache.Durable() with { FeedBytes = 256 << 10 };

    [CrashPointFact]
    public async Task A_window_that_goes_while_a_reader_walks_is_told()
    {
        var fold = new FeedFold<long, byte[]>();
        using PileCache cache = Open("live", Boot);
        CacheTable<long, byte[]> table = FedOf(cache);
        table.Put(1, [1]);
        bool isChanged = false;
        using (new CrashPointScope<CrashPoint>(point =>
        {
            if (isChanged || point != CrashPoint.FeedBehindFirstBucket)
                return;
            isChanged = true;
            table.Configure(Fed with { FeedBytes = 1 << 20 });
        }))
        {
            await CheckAsync(table, fold, gaps: 1);
        }
        isChanged = false;
        using (new CrashPointScope<CrashPoint>(point =>
        {
            if (isChanged || point != CrashPoint.FeedBehindFirstBucket)
                return;
            isChanged = true;
            table.Configure(TestCache.Durable());
        }))
        {
            await Assert.ThrowsAsync<InvalidOperationException>(async () => await new FeedFold<long, byte[]>().CatchUpAsync(table));
        }
    }

    private static CacheTable<long, byte[]> FedOf(PileCache cache) => cache.GetOrCreateTable<long, byte[]>(Fed);

    private static async Task CheckAsync(CacheTable<long, byte[]> table, FeedFold<long, byte[]> fold, int gaps)
    {
        await fold.CatchUpAsync(table);
        Assert.Equal(gaps, fold.Gaps);
        fold.AssertIs(table);
        table.Core.Feed.CheckInvariants();
    }
}
