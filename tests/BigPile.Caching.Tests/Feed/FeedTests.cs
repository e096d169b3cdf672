using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Feed;

/// <summary>What each operation tells, and what readers are told.</summary>
public sealed class FeedTests
{
    private static readonly TableOptions Options = TestCache.Durable() with { FeedBytes = 1 << 20 };

    private static readonly DateTimeOffset Begin = new(2026, 3, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly ManualTime _time = new(Begin);

    [Fact]
    public async Task Each_kind_is_told_in_order()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(Options);
        FeedFold<string, string> fold = await FoldOfAsync(table);
        table.Put("a", "1");
        table.Put("a", "2");
        Assert.True(table.Remove("a"));
        Assert.False(table.Remove("a"));
        table.Put("b", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        table.Put("c", "1", new EntryOptions { Tags = ["x"] });
        _time.Advance(TimeSpan.FromSeconds(2));
        table.Put("b", "2");
        table.RemoveByTag("x");
        table.Put("d", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        _time.Advance(TimeSpan.FromSeconds(2));
        table.Sweep();
        table.Clear();
        List<Change<string, string>> changes = await NextAsync(table, fold);
        Assert.Equal(
            [
                "Added a", "Replaced a", "Removed a", "Added b", "Added c", "Expired b", "Added b", "TagRemoved ", "Added d", "Expired d",
                "Cleared ",
            ],
            changes.Select(static change => $"{change.Kind} {change.Key}"));
        Assert.Equal(changes[1].Version, changes[2].GoneUpTo);
        Assert.Equal(Begin + TimeSpan.FromSeconds(1), changes[3].ExpiresAt);
        Assert.Equal([CacheTable.HashOfTag("x")], changes[4].TagHashes.ToArray());
        Assert.Equal([CacheTable.HashOfTag("x")], changes[7].TagHashes.ToArray());
        Assert.Equal(changes[10].Version, changes[10].GoneUpTo);
        Assert.Empty(table.Entries);
    }

    [Fact]
    public async Task A_walk_hands_over_to_the_changes()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(Options);
        for (int i = 0; i < 5_000; i++)
            table.Put(i, "v");
        var fold = new FeedFold<int, string>();
        int number = 5_000;
        await foreach (ChangeBatch<int, string> batch in table.Changes(FeedCursor.Start, new ChangeOptions { Values = true }))
        {
            fold.Apply(batch);
            if (fold.IsWhole)
                break;
            table.Remove(number - 4_000);
            table.Put(number++, "w");
        }
        await fold.CatchUpAsync(table, new ChangeOptions { Values = true });
        Assert.Equal(0, fold.Gaps);
        Assert.True(number > 5_010);
        fold.AssertIs(table);
        Assert.All(fold.Entries.Values, static entry => Assert.True(entry.HasValue));
    }

    [Fact]
    public async Task A_cursor_continues_and_an_alien_one_is_told_of()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>(Options);
        CacheTable<string, string> other = cache.GetOrCreateTable<string, string>(Options with { Name = "u" });
        FeedFold<string, string> fold = await FoldOfAsync(table);
        table.Put("a", "1");
        Assert.True(FeedCursor.TryParse(fold.Cursor.ToString(), out FeedCursor cursor));
        Assert.Equal(fold.Cursor, cursor);
        Assert.Equal("a", Assert.Single(await NextAsync(table, fold)).Key);
        Assert.Empty(await NextAsync(table, fold));
        FeedFold<string, string> alien = await FoldOfAsync(other);
        await alien.CatchUpAsync(table);
        Assert.Equal(1, alien.Gaps);
        alien.AssertIs(table);
        Assert.False(FeedCursor.TryParse("0123", out _));
        Assert.False(FeedCursor.TryParse(new string('x', 48), out _));
    }

    [Fact]
    public async Task A_reader_that_was_too_slow_is_told_and_walks()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(Options with { FeedBytes = 256 << 10 });
        FeedFold<int, string> fold = await FoldOf(table);
        for (int i = 0; i < 100_000; i++)
            table.Put(i % 1_000, "v");
        await fold.CatchUpAsync(table);
        Assert.Equal(1, fold.Gaps);
        fold.AssertIs(table);
        TableStatistics statistics = table.Statistics;
        Assert.InRange(statistics.FeedBytes, 200 << 10, 256 << 10);
        Assert.Equal(0, statistics.FeedReaders);
        Assert.NotNull(statistics.FeedWindow);
        table.Core.Feed.CheckInvariants();
    }

    [Fact]
    public async Task A_table_without_a_feed_says_how_to_get_one()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(TestCache.Durable());
        InvalidOperationException refused = await Assert.ThrowsAsync<InvalidOperationException>(async () => await FoldOf(table));
        Assert.Contains("'t'", refused.Message, StringComparison.Ordinal);
        Assert.Contains("FeedBytes", refused.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>(async () => await FoldOf(table, new ChangeOptions { Durable = true }));
        table.Configure(Options);
        FeedFold<int, string> fold = await FoldOf(table);
        table.Put(1, "v");
        table.Configure(Options with { FeedBytes = 2 << 20 });
        await fold.CatchUpAsync(table);
        Assert.Equal(1, fold.Gaps);
        fold.AssertIs(table);
        table.Configure(TestCache.Durable());
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await FoldOf(table));
    }

    [Fact]
    public async Task Waiting_readers_are_woken_and_end_with_the_table()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(Options);
        await using IAsyncEnumerator<ChangeBatch<int, string>> reader = table.Changes(FeedCursor.Now).GetAsyncEnumerator();
        ValueTask<bool> next = reader.MoveNextAsync();
        await Eventually.TrueAsync(() => table.Statistics.FeedReaders == 1);
        table.Put(1, "v");
        Assert.True(await next);
        Assert.Equal(1, Assert.Single(reader.Current.Changes).Key);
        next = reader.MoveNextAsync();
        cache.DropTable("t");
        await Assert.ThrowsAsync<TableDroppedException>(async () => await next);
    }

    [Fact]
    public async Task A_reader_can_be_cancelled_while_it_waits()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(Options);
        using var stop = new CancellationTokenSource();
        await using IAsyncEnumerator<ChangeBatch<int, string>> reader =
            table.Changes(FeedCursor.Now, stop: stop.Token).GetAsyncEnumerator(CancellationToken.None);
        ValueTask<bool> next = reader.MoveNextAsync();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await next);
        Assert.Equal(0, table.Statistics.FeedReaders);
    }

    [Fact]
    public async Task Values_are_those_that_were_put()
    {
        using PileCache cache = TestCache.Make(_time);
        CacheTable<int, string> current = cache.GetOrCreateTable<int, string>(Options);
        CacheTable<int, string> copied = cache.GetOrCreateTable<int, string>(Options with { Name = "c", FeedsValues = true });
        foreach (CacheTable<int, string> table in (CacheTable<int, string>[])[current, copied])
        {
            FeedFold<int, string> fold = await FoldOf(table);
            table.Put(1, "first");
            table.Put(1, "second");
            table.Put(2, new string('x', 100_000));
            table.PutPointer(3, cache.Pile.Put("object"));
            List<Change<int, string>> changes = await NextAsync(table, fold, new ChangeOptions { Values = true });
            bool isCopied = table == copied;
            Assert.Equal(isCopied, changes[0].HasValue);
            Assert.Equal(isCopied ? "first" : null, changes[0].Value);
            Assert.Equal("second", changes[1].Value);
            Assert.Equal(100_000, changes[2].Value!.Length);
            Assert.Equal("object", changes[3].Value);
        }
    }

    [Fact]
    public void Options_out_of_range_are_refused()
    {
        Assert.Throws<ArgumentException>(() => (Options with { FeedBytes = 1000 }).Validate());
        Assert.Throws<ArgumentException>(() => (Options with { FeedBytes = 2L << 30 }).Validate());
        Assert.Throws<ArgumentException>(() => (Options with { MaxBytes = 1 << 20, FeedBytes = 1 << 20 }).Validate());
        Assert.Throws<ArgumentException>(() => (Options with { FeedBytes = null, FeedsValues = true }).Validate());
    }

    private static Task<FeedFold<string, string>> FoldOfAsync(CacheTable<string, string> table) => FoldOf(table);

    private static async Task<FeedFold<TKey, string>> FoldOf<TKey>(CacheTable<TKey, string> table, ChangeOptions? options = null)
        where TKey : notnull
    {
        var fold = new FeedFold<TKey, string>();
        await fold.CatchUpAsync(table, options);
        Assert.True(fold.IsWhole);
        return fold;
    }

    private static async Task<List<Change<TKey, string>>> NextAsync<TKey>(
        CacheTable<TKey, string> table, FeedFold<TKey, string> fold, ChangeOptions? options = null)
        where TKey : notnull
    {
        using var reader = new Typed.ChangeReader<TKey, string>(table.Typed, options ?? new ChangeOptions());
        await table.Core.Readiness.Completion;
        Assert.Null(reader.TryBegin(fold.Cursor));
        var changes = new List<Change<TKey, string>>();
        while (reader.TryNext() is { } batch)
        {
            fold.Apply(batch);
            changes.AddRange(batch.Changes);
        }
        return changes;
    }
}
