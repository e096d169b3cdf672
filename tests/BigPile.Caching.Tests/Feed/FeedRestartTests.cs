using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tests.Durability;
using BigPile.Checking;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Feed;

/// <summary>What readers find of the changes behind a stop, a kill and a restart of the machine.</summary>
public sealed class FeedRestartTests(ITestOutputHelper output) : KeptFilesTest
{
    private const int KeyCount = 40;

    private static readonly TableOptions FedOptions = TestCache.Durable() with { FeedBytes = 1 << 20 };

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_cursor_continues_behind_a_stop(bool isNextBoot)
    {
        FeedFold<long, byte[]> fold = new();
        using (PileCache cache = Open("pile", Boot))
        {
            CacheTable<long, byte[]> table = Fed(cache);
            table.Put(1, [1]);
            await fold.CatchUpAsync(table);
            table.Put(2, [2]);
            table.Remove(1);
        }
        using PileCache next = Open("pile", isNextBoot ? NextBoot : Boot);
        await AssertContinuesAsync(fold, Fed(next), gaps: 0);
        Assert.Equal(2, fold.Changes);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_cursor_continues_behind_a_kill_and_not_behind_a_restart_of_the_machine(bool isNextBoot)
    {
        FeedFold<long, byte[]> fold = new();
        ulong flushed;
        using (PileCache cache = Open("pile", Boot))
        {
            CacheTable<long, byte[]> table = Fed(cache);
            table.Put(1, [1], null, out EntryInfo info);
            cache.Pile.Flush();
            flushed = info.Version;
            table.Put(2, [2]);
            await fold.CatchUpAsync(table);
            table.Put(3, [3]);
            KilledPile.Copy(At("pile"), At("killed"));
        }
        using PileCache next = Open("killed", isNextBoot ? NextBoot : Boot);
        await AssertContinuesAsync(fold, Fed(next), gaps: isNextBoot ? 1 : 0);
        Assert.Equal(isNextBoot ? flushed : 0, fold.FlushedUpTo);
    }

    /// <summary>The application takes the table with options after the opening: until then the feed goes on with those of before.</summary>
    [Fact]
    public async Task A_window_goes_on_before_the_table_is_configured()
    {
        FeedFold<long, byte[]> fold = new();
        using (PileCache cache = Open("pile", Boot))
        {
            CacheTable<long, byte[]> table = Fed(cache);
            table.Put(1, [1]);
            await fold.CatchUpAsync(table);
        }
        using (PileCache cache = Open("pile", Boot))
        {
            Assert.True(cache.TryGetTable("t", out CacheTable<long, byte[]>? table));
            table.Put(2, [2]);
        }
        using PileCache next = Open("pile", Boot);
        await AssertContinuesAsync(fold, Fed(next), gaps: 0);
    }

    [Fact]
    public async Task A_damaged_window_begins_anew()
    {
        FeedFold<long, byte[]> fold = new();
        using (PileCache cache = Open("pile", Boot))
        {
            CacheTable<long, byte[]> table = Fed(cache);
            table.Put(1, [1]);
            await fold.CatchUpAsync(table);
        }
        string file = Directory.GetFiles(At("pile"), FileIndexStorage.FeedPrefix + "*").Single();
        byte[] bytes = File.ReadAllBytes(file);
        bytes[^5_000] ^= 1; // of the last chunk, which nothing uses
        File.WriteAllBytes(file, bytes);
        using PileCache next = Open("pile", Boot);
        await AssertContinuesAsync(fold, Fed(next), gaps: 1);
    }

    [Fact]
    public async Task A_window_of_another_size_or_none_begins_anew_and_its_file_goes_with_the_table()
    {
        FeedFold<long, byte[]> fold = new();
        using (PileCache cache = Open("pile", Boot))
        {
            await fold.CatchUpAsync(Fed(cache));
            Fed(cache).Put(1, [1]);
        }
        using (PileCache cache = Open("pile", Boot))
        {
            CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(FedOptions with { FeedBytes = 2 << 20 });
            await AssertContinuesAsync(fold, table, gaps: 1);
            Assert.Single(Directory.GetFiles(At("pile"), FileIndexStorage.FeedPrefix + "*"));
            cache.DropTable("t");
            Assert.Empty(Directory.GetFiles(At("pile"), FileIndexStorage.FeedPrefix + "*"));
        }
        using PileCache next = Open("pile", Boot);
        await AssertContinuesAsync(fold, Fed(next), gaps: 2);
        next.GetOrCreateTable<long, byte[]>(TestCache.Durable());
        next.GetOrCreateTable<long, byte[]>(FedOptions with { FeedBytes = null });
        Assert.Empty(Directory.GetFiles(At("pile"), FileIndexStorage.FeedPrefix + "*"));
    }

    [Fact]
    public async Task A_durable_reader_is_told_what_was_flushed()
    {
        using PileCache cache = Open("pile", Boot);
        CacheTable<long, byte[]> table = Fed(cache);
        table.Put(1, [1]);
        var durable = new ChangeOptions { Durable = true };
        FeedFold<long, byte[]> fold = new();
        await fold.CatchUpAsync(table, durable);
        Assert.Empty(fold.Entries);
        cache.Pile.Flush();
        table.Put(2, [2]);
        await fold.CatchUpAsync(table, durable);
        Assert.Equal([1], fold.Entries.Keys);
        table.Remove(1);
        await using IAsyncEnumerator<ChangeBatch<long, byte[]>> reader = table.Changes(fold.Cursor, durable).GetAsyncEnumerator();
        ValueTask<bool> next = reader.MoveNextAsync();
        await Eventually.TrueAsync(() => table.Statistics.FeedReaders == 1);
        Assert.False(next.IsCompleted);
        cache.Pile.Flush();
        Assert.True(await next);
        fold.Apply(reader.Current);
        fold.AssertIs(table);
    }

    /// <summary>A kill at each point of a change; the copy of the files is what it leaves.</summary>
    [CrashPointFact]
    public async Task A_kill_at_any_point_leaves_what_readers_were_told()
    {
        int seed = TestLeg.Seed(1);
        (int kills, List<string> wrong) = await KillAsync(seed, TestLeg.Steps(60, 1_500));
        output.WriteLine($"seed {seed}: {kills} kills");
        Assert.True(wrong.Count == 0, string.Join("\n", wrong));
    }

    [CrashPointFact]
    public async Task A_record_of_what_a_kill_has_undone_is_found()
    {
        using var planted = new MutationScope("feed-undone-kept");
        int seed = TestLeg.Seed(1);
        (int kills, List<string> wrong) = await KillAsync(seed, 300, mostWrong: 1);
        output.WriteLine($"seed {seed}: found by {kills} kills");
        Assert.NotEmpty(wrong);
    }

    private async Task<(int Kills, List<string> Wrong)> KillAsync(int seed, int most, int mostWrong = int.MaxValue)
    {
        var wrong = new List<string>();
        var random = new Random(seed);
        int kills = 0;
        string directory = "life";
        FeedFold<long, byte[]> fold = new();
        while (kills < most && wrong.Count < mostWrong)
        {
            string killed = $"killed{kills}";
            string at = "";
            using (PileCache cache = Open(directory, Boot))
            {
                await HoldStillAsync(cache);
                CacheTable<long, byte[]> table = Fed(cache);
                await CompareAsync(fold, table, $"seed {seed}, kill {kills}", wrong);
                int left = random.Next(1, 200);
                int thread = Environment.CurrentManagedThreadId;
                using var scope = new CrashPointScope<CrashPoint>(point =>
                {
                    if (Environment.CurrentManagedThreadId != thread || --left != 0)
                        return;
                    KilledPile.Copy(At(directory), At(killed));
                    at = point.ToString();
                });
                while (left > 0)
                    Operate(table, random);
                left = -1;
            }
            Directory.Delete(At(directory), recursive: true);
            directory = killed;
            kills++;
            using PileCache next = Open(directory, Boot);
            await HoldStillAsync(next);
            await CompareAsync(fold, Fed(next), $"seed {seed}, kill {kills} at {at}", wrong);
        }
        Assert.Equal(0, fold.Gaps);
        return (kills, wrong);
    }

    // What works in the background has ended: a kill is one instant, and a copy of the files is none.
    private static async Task HoldStillAsync(PileCache cache)
    {
        await cache.Pile.Recovery.Completion;
        await cache.Readiness.Inspection;
    }

    private static async Task CompareAsync(FeedFold<long, byte[]> fold, CacheTable<long, byte[]> table, string why, List<string> wrong)
    {
        await fold.CatchUpAsync(table);
        try
        {
            fold.AssertIs(table, why);
            table.Core.Feed.CheckInvariants();
        }
        catch (Exception e) when (e is Xunit.Sdk.XunitException or InvalidOperationException)
        {
            wrong.Add(e.Message);
        }
    }

    private static void Operate(CacheTable<long, byte[]> table, Random random)
    {
        long key = random.Next(KeyCount);
        switch (random.Next(30))
        {
            case 0:
                table.RemoveByTag("x");
                break;
            case 1:
                table.Clear();
                break;
            case < 10:
                table.Remove(key);
                break;
            case < 14:
                table.Put(key, new byte[random.Next(100)], new EntryOptions { Tags = ["x"] });
                break;
            case 14:
                table.PutPointer(key, table.Pile.Put(new byte[10]));
                break;
            case 15:
                table.TryGetPointer(key, out _);
                break;
            default:
                table.Put(key, new byte[random.Next(100)]);
                break;
        }
    }

    private static CacheTable<long, byte[]> Fed(PileCache cache) => cache.GetOrCreateTable<long, byte[]>(FedOptions);

    private static async Task AssertContinuesAsync(FeedFold<long, byte[]> fold, CacheTable<long, byte[]> table, int gaps)
    {
        await fold.CatchUpAsync(table);
        Assert.Equal(gaps, fold.Gaps);
        fold.AssertIs(table);
    }
}
