using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Tests.Durability;
using BigPile.Caching.Typed;
using BigPile.Checking;

namespace BigPile.Caching.Tests.Feed;

/// <summary>A kill takes nothing from a window: cursors continue in the next process.</summary>
public sealed class FeedAfterKillTests : KeptFilesTest
{
    [Theory]
    [InlineData(256 << 10)]
    [InlineData(300_000)]
    [InlineData(4 << 20)]
    [InlineData((64 << 20) + (64 << 10))]
    public async Task A_cursor_continues_after_a_kill_and_after_a_stop(long feedBytes)
    {
        var fold = new FeedFold<long, string>();
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, string> table = TableOf(cache, feedBytes);
            await fold.CatchUpAsync(table);
            table.Put(1, "v");
            KilledPile.Copy(At("live"), At("killed"));
        }
        FeedCursor cursor = fold.Cursor;
        foreach (string name in (string[])["killed", "live"])
        {
            using PileCache cache = Open(name, Boot);
            CacheTable<long, string> table = TableOf(cache, feedBytes);
            await fold.CatchUpAsync(table);
            Assert.Equal(0, fold.Gaps);
            fold.AssertIs(table, name);
            fold.Cursor = cursor;
        }
    }

    [CrashPointFact]
    public async Task A_kill_while_a_chunk_is_used_anew_keeps_the_window()
    {
        var fold = new FeedFold<long, string>();
        bool isKilled = false;
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, string> table = TableOf(cache, 256 << 10);
            using var hook = new CrashPointScope<CrashPoint>(point =>
            {
                if (point == CrashPoint.FeedBeforeRecycled && !isKilled)
                    KilledPile.Copy(At("live"), At("killed"));
                isKilled |= point == CrashPoint.FeedBeforeRecycled;
            });
            for (long key = 0; !isKilled; key++)
            {
                table.Put(key % 100, "v");
                if (!isKilled)
                    await fold.CatchUpAsync(table);
            }
        }
        using PileCache again = Open("killed", Boot);
        CacheTable<long, string> found = TableOf(again, 256 << 10);
        await fold.CatchUpAsync(found);
        Assert.Equal(0, fold.Gaps);
        fold.AssertIs(found);
        found.Put(7, "w");
        await fold.CatchUpAsync(found);
        Assert.Equal(0, fold.Gaps);
        fold.AssertIs(found);
        found.Core.Feed.CheckInvariants();
    }

    /// <summary>In a table that was found, a tag has two marks: that of its hash comes last.</summary>
    [CrashPointFact]
    public async Task A_kill_between_the_marks_of_a_tag_removes_nothing()
    {
        var fold = new FeedFold<long, string>();
        using (PileCache cache = Open("live", Boot))
            TableOf(cache, 1 << 20).Put(1, "v", new EntryOptions { Tags = ["tag"] });
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, string> table = TableOf(cache, 1 << 20);
            await fold.CatchUpAsync(table);
            bool isKilled = false;
            using var hook = new CrashPointScope<CrashPoint>(point =>
            {
                if (point == CrashPoint.TagBetweenMarks && !isKilled)
                    KilledPile.Copy(At("live"), At("killed"));
                isKilled |= point == CrashPoint.TagBetweenMarks;
            });
            table.RemoveByTag("tag");
            Assert.True(isKilled);
        }
        using PileCache again = Open("killed", Boot);
        CacheTable<long, string> found = TableOf(again, 1 << 20);
        Assert.True(found.ContainsKey(1));
        await fold.CatchUpAsync(found);
        Assert.Equal(0, fold.Gaps);
        fold.AssertIs(found);
    }

    /// <summary>Else the next process would take the removal for one that was not made.</summary>
    [CrashPointFact]
    public async Task A_mark_stays_until_its_record_stands()
    {
        var fold = new FeedFold<long, string>();
        using (PileCache cache = Open("live", Boot))
        {
            CacheTable<long, string> table = TableOf(cache, 1 << 20);
            table.Put(1, "v", new EntryOptions { Tags = ["tag"] });
            await fold.CatchUpAsync(table);
            bool isKilled = false;
            using var hook = new CrashPointScope<CrashPoint>(point =>
            {
                if (point != CrashPoint.FeedBeforeLeft || isKilled)
                    return;
                isKilled = true;
                SideBySide.Start(() => table.Sweep()).GetAwaiter().GetResult();
                KilledPile.Copy(At("live"), At("killed"));
            });
            table.RemoveByTag("tag");
            Assert.True(isKilled);
        }
        using PileCache again = Open("killed", Boot);
        CacheTable<long, string> found = TableOf(again, 1 << 20);
        await fold.CatchUpAsync(found);
        Assert.Equal(0, fold.Gaps);
        fold.AssertIs(found);
    }

    [Fact]
    public void Who_continues_before_the_end_of_a_walk_is_told_of_it()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>(TestCache.Durable() with { FeedBytes = 1 << 20 });
        for (long key = 0; key < 1_000; key++)
            table.Put(key, "v");
        List<ChangeBatch<long, string>> all = BatchesFrom(table, FeedCursor.Start);
        foreach (ChangeBatch<long, string> batch in all.Where(static batch => batch.Kind == ChangeBatchKind.Walk))
            Assert.Equal(ChangeBatchKind.WalkEnd, BatchesFrom(table, batch.Cursor)[^1].Kind);
    }

    [Fact]
    public void Statistics_are_read_beside_a_window_that_is_replaced()
    {
        using PileCache cache = Open("live", Boot);
        CacheTable<long, string> table = TableOf(cache, 1 << 20);
        SideBySide.Rounds(
            new SideBySide.Worker(50, number => table.Configure(TestCache.Durable() with { FeedBytes = (1 + number % 2) << 20 })),
            new SideBySide.Worker(1_000, _ => Assert.True(table.Statistics.FeedBytes >= 0)));
    }

    private static List<ChangeBatch<long, string>> BatchesFrom(CacheTable<long, string> table, FeedCursor from)
    {
        using var reader = new ChangeReader<long, string>(table.Typed, new ChangeOptions());
        Assert.Null(reader.TryBegin(from));
        var all = new List<ChangeBatch<long, string>>();
        while (reader.TryNext() is { } batch)
            all.Add(batch);
        return all;
    }

    private static CacheTable<long, string> TableOf(PileCache cache, long feedBytes) =>
        cache.GetOrCreateTable<long, string>(TestCache.Durable() with { FeedBytes = feedBytes });
}
