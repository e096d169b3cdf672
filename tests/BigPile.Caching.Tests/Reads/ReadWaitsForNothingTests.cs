using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Tables;
using BigPile.Memory;

namespace BigPile.Caching.Tests.Reads;

/// <summary>A read takes no lock, enters as a reader, and never waits for a flush, whatever its entry is.</summary>
public sealed class ReadWaitsForNothingTests
{
    private static readonly TimeSpan MaxWait = TimeSpan.FromSeconds(30);

    public static TheoryData<string, StoreKind> Lives()
    {
        var data = new TheoryData<string, StoreKind>();
        foreach (string life in (string[])["plain", "expiring", "sliding", "tagged", "dead", "removed by its tag"])
        {
            data.Add(life, StoreKind.Native);
            data.Add(life, StoreKind.Mapped);
        }
        return data;
    }

    [Theory]
    [MemberData(nameof(Lives))]
    public void A_read_waits_for_no_flush_and_no_lock(string life, StoreKind store)
    {
        using var scratch = new ScratchDirectory();
        var time = new ManualTime();
        using PileCache cache = store == StoreKind.Mapped ? TestCache.Open(scratch.Root, time) : TestCache.Make(time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        table.Put(1, "value", OptionsOf(life));
        if (life == "removed by its tag")
            table.RemoveByTag("tag");
        time.Advance(TimeSpan.FromSeconds(5)); // a sliding one is to be renewed, and another one is dead
        bool isThere = life is not ("dead" or "removed by its tag");
        ulong hash = table.KeyCodec.Probe(1, stackalloc byte[64]).Hash;
        using (table.Core.Index.Lock(hash))
            AssertReads(table, isThere);
        cache.Pile.Blocks.Barrier.RunExclusive(() => AssertReads(table, isThere));
    }

    /// <summary>The control: a reader that enters as a writer waits.</summary>
    [Fact]
    public void Who_comes_in_to_change_something_waits()
    {
        using PileCache cache = TestCache.Make();
        TableEngine core = cache.GetOrCreateTable<long, string>("t").Core;
        Task? entering = null;
        cache.Pile.Blocks.Barrier.RunExclusive(() =>
        {
            entering = SideBySide.Start(() => core.EnterWriter().Dispose());
            Assert.False(entering.Wait(TimeSpan.FromMilliseconds(100)));
        });
        Assert.True(entering!.Wait(MaxWait));
    }

    /// <summary>What is full keeps no reader: no exception is thrown inside, and no flush is run.</summary>
    [Fact]
    public void Of_sliding_entries_in_a_full_pile_none_throws_inside()
    {
        const int reads = 20_000;
        using var scratch = new ScratchDirectory();
        var time = new ManualTime();
        var files = new OperationsOfThread();
        using var cache = new PileCache(
            Pile.Open(scratch.Root, new PileOptions { SegmentBytes = 4 << 20, MaxBytes = 8 << 20, FileHook = files }),
            new PileCacheOptions
            {
                OwnsPile = true, TimeProvider = time, SweepPeriod = TimeSpan.Zero, DefaultTableOptions = TestCache.AllDurable,
            });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        long count = 0;
        try
        {
            for (; ; count++)
                table.Put(count, new byte[1_000], new EntryOptions { Sliding = TimeSpan.FromHours(1) });
        }
        catch (PileFullException)
        {
            // so it is full
        }
        time.Advance(TimeSpan.FromMinutes(30));
        Assert.InRange(count, 1_000, 10_000);
        files.Count = 0;
        int thrown = 0;
        int thread = Environment.CurrentManagedThreadId;
        void Count(object? sender, System.Runtime.ExceptionServices.FirstChanceExceptionEventArgs e) =>
            thrown += Environment.CurrentManagedThreadId == thread ? 1 : 0;
        AppDomain.CurrentDomain.FirstChanceException += Count;
        try
        {
            for (long i = 0; i < reads; i++)
                Assert.True(table.ContainsKey(i % count));
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= Count;
        }
        Assert.Equal((0, 0), (thrown, files.Count));
    }

    [Fact]
    public void A_table_is_plain_again_once_a_sweep_finds_nothing_that_may_expire()
    {
        var time = new ManualTime();
        using PileCache cache = TestCache.Make(time);
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        for (long key = 0; key < 1_000; key++)
            table.Put(key, "value");
        table.Put(1, "mortal", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        table.Sweep();
        Assert.True(table.Core.Content.HasExpirables);
        time.Advance(TimeSpan.FromSeconds(2));
        table.Sweep();
        table.Sweep();
        Assert.False(table.Core.Content.HasExpirables);
        table.Put(1, "tagged", new EntryOptions { Tags = ["tag"] });
        Assert.True(table.Core.Content.HasExpirables);
        table.RemoveByTag("tag");
        Assert.False(table.ContainsKey(1));
        table.Sweep();
        table.Sweep();
        table.Sweep();
        Assert.False(table.Core.Content.HasExpirables);
        table.Core.CheckInvariants();
    }

    /// <summary>Whatever comes between the last bucket of a round and its end.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_comes_while_a_round_ends_keeps_sweeps_going(bool isTag)
    {
        using PileCache cache = TestCache.Make(new ManualTime());
        CacheTable<long, string> table = cache.GetOrCreateTable<long, string>("t");
        table.Core.Content.BeginExpirablesRound();
        if (isTag)
            table.RemoveByTag("tag");
        else
            table.Put(1, "mortal", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        table.Core.Content.EndExpirablesRound();
        Assert.True(table.Core.Content.HasExpirables);
        table.Core.Content.BeginExpirablesRound();
        table.Core.Content.EndExpirablesRound();
        Assert.False(table.Core.Content.HasExpirables);
    }

    private static void AssertReads(CacheTable<long, string> table, bool isThere)
    {
        Task<bool[]> reading = SideBySide.Start(() => Enumerable.Range(0, 3).Select(attempt => table.TryGet(1, out _)).ToArray());
        Assert.True(reading.Wait(MaxWait), "the read waits");
        Assert.Equal(Enumerable.Repeat(isThere, 3), reading.Result);
    }

    /// <summary>Counts what the thread that made it does to files.</summary>
    private sealed class OperationsOfThread : IFileHook
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;

        internal int Count { get; set; }

        public void Before(FileOperation operation, string path) => Count += Environment.CurrentManagedThreadId == _thread ? 1 : 0;

        public void After(FileOperation operation, string path)
        {
        }
    }

    private static EntryOptions? OptionsOf(string life) => life switch
    {
        "expiring" => new EntryOptions { MaxAge = TimeSpan.FromHours(1) },
        "sliding" => new EntryOptions { Sliding = TimeSpan.FromSeconds(10) },
        "dead" => new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) },
        "tagged" or "removed by its tag" => new EntryOptions { Tags = ["tag"] },
        _ => null,
    };
}
