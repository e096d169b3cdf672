using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Tests.Durability;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Feed;

/// <summary>The windows of mapped piles across the ends of their processes.</summary>
public sealed class KeptFeedTests : KeptFilesTest
{
    private const int Some = 50;

    private static readonly TableOptions Fed = TestCache.Durable() with { FeedBytes = 256 << 10 };

    [CrashPointFact]
    public async Task A_kill_between_the_marks_of_a_removed_tag_leaves_the_cursors()
    {
        var fold = new FeedFold<long, byte[]>();
        using (PileCache cache = Open("live", Boot))
            FedOf(cache).Put(1, [1], new EntryOptions { Tags = ["x"] });
        bool isKilled = false;
        using (PileCache cache = Open("live", Boot)) // the table was found: its tags have two marks
        {
            CacheTable<long, byte[]> table = FedOf(cache);
            await fold.CatchUpAsync(table);
            using var hook = new CrashPointScope<CrashPoint>(point =>
            {
                if (isKilled || point != CrashPoint.TagBetweenMarks)
                    return;
                isKilled = true;
                KilledPile.Copy(At("live"), At("killed"));
            });
            table.RemoveByTag("x");
            Assert.True(isKilled);
        }
        using PileCache again = Open("killed", Boot);
        await CheckAsync(FedOf(again), fold, gaps: 0);
        Assert.Equal([1], fold.Entries.Keys); // the mark that was made is for entries of earlier versions
    }

    [CrashPointFact]
    public async Task A_kill_while_a_chunk_is_taken_anew_leaves_the_cursors()
    {
        var fold = new FeedFold<long, byte[]>();
        bool isKilled = false;
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, byte[]> table = FedOf(cache);
            await fold.CatchUpAsync(table);
            using var hook = new CrashPointScope<CrashPoint>(point =>
            {
                if (isKilled || point != CrashPoint.FeedBeforeRecycled)
                    return;
                isKilled = true;
                KilledPile.Copy(At("live"), At("killed"));
            });
            while (!isKilled)
            {
                await fold.CatchUpAsync(table);
                for (long key = 0; key < 100 && !isKilled; key++)
                    table.Put(key, [1]);
            }
        }
        using PileCache again = Open("killed", Boot);
        CacheTable<long, byte[]> found = FedOf(again);
        await CheckAsync(found, fold, gaps: 0);
        for (int i = 0; i < 100; i++)
        {
            for (long key = 0; key < 200; key++)
                found.Put(key, [2]);
            await CheckAsync(found, fold, gaps: 0);
        }
    }

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

    [Fact]
    public void Statistics_are_told_while_the_window_changes()
    {
        using PileCache cache = Open("live", Boot);
        CacheTable<long, byte[]> table = FedOf(cache);
        bool isOver = false;
        Task asking = SideBySide.Start(() =>
        {
            while (!Volatile.Read(ref isOver))
                _ = table.Statistics;
        });
        for (int i = 0; i < Some; i++)
            table.Configure(Fed with { FeedBytes = (i % 2 + 1) << 20 });
        Volatile.Write(ref isOver, true);
        asking.GetAwaiter().GetResult();
        Assert.InRange(table.Statistics.FeedBytes, 1 << 20, 2 << 20);
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
