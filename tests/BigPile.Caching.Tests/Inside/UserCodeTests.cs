using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Inside;

/// <summary>Comparers and writers of the user's: they take their time, call back, throw.</summary>
public sealed class UserCodeTests : StoppedCacheTest
{
    private const int ValueBytes = 1_000;

    private static readonly TimeSpan MaxWait = Eventually.Timeout;

    private static readonly byte[] Utf8 = Encoding.UTF8.GetBytes("key");

    private static readonly Dictionary<string, Action<Table, Action>> Ways = new()
    {
        ["compare: TryGet"] = Comparing(static table => Assert.True(table.TryGet("key", out byte[]? _))),
        ["compare: ContainsKey"] = Comparing(static table => Assert.True(table.ContainsKey("key"))),
        ["compare: GetMany"] = Comparing(static table => Assert.Equal(1, table.GetMany(["key"], new byte[]?[1], new bool[1]))),
        ["compare: ReadMany"] =
            Comparing(static table => Assert.Equal(1, table.ReadMany(["key"], new ArrayBufferWriter<byte>(), new int[1]))),
        ["compare: ReadManyUtf8"] = Comparing(static table => Assert.Equal(ValueBytes, ReadManyUtf8(table, new ArrayBufferWriter<byte>()))),
        ["compare: Put"] = Comparing(static table => table.Put("key", new byte[ValueBytes])),
        ["compare: PutMany"] = Comparing(static table => table.PutMany(["key"], [new byte[ValueBytes]], new PutResult[1])),
        ["compare: Update"] = Comparing(static table => table.Update("key", new byte[ValueBytes], 1, out EntryInfo _)),
        ["compare: Touch"] = Comparing(static table => Assert.True(table.Touch("key"))),
        ["compare: Touch with options"] = Comparing(static table => table.Touch("key", new EntryOptions { Priority = EntryPriority.High })),
        ["compare: GetOrAdd"] = Comparing(static table => table.GetOrAdd("key", static _ => new byte[ValueBytes])),
        ["compare: GetPointer"] = Comparing(static table => Assert.True(table.GetPointer("key").IsValid)),
        ["compare: TryLease"] = Comparing(static table =>
        {
            Assert.True(table.TryLease("key", out PileLease? lease, out _));
            lease.Dispose();
        }),
        ["compare: TryGetEntry"] = Comparing(static table => Assert.True(table.TryGetEntry("key", out _))),
        ["compare: Remove"] = Comparing(static table => table.Remove("key")),
        ["compare: RemoveMany"] = Comparing(static table => table.RemoveMany(["key"])),
        ["write: TryRead"] = static (table, called) => Assert.True(table.Plain.TryRead("key", new CallingWriter(called), out _)),
        ["write: TryGet"] = static (table, called) => Assert.True(table.Plain.TryGet("key", new CallingWriter(called))),
        ["write: ReadMany"] = static (table, called) =>
            Assert.Equal(1, table.Plain.ReadMany(["key"], new CallingWriter(called), new int[1])),
        ["write: TryReadUtf8"] = static (table, called) =>
            Assert.True(table.Plain.ByUtf8().TryRead(Utf8, new CallingWriter(called), out _)),
        ["write: ReadManyUtf8"] = static (table, called) => Assert.Equal(ValueBytes, ReadManyUtf8(table.Plain, new CallingWriter(called))),
    };

    public static TheoryData<string> AllWays => [.. Ways.Keys];

    /// <summary>As when it waits for a lock that a thread holds which calls the table: neither would ever go on.</summary>
    [Theory]
    [MemberData(nameof(AllWays))]
    public async Task While_it_does_not_return_every_other_call_does(string way)
    {
        using var table = new Table(DirectoryPath);
        using var isInside = new ManualResetEventSlim();
        using var mayLeave = new ManualResetEventSlim();
        int user = 0;
        Task call = SideBySide.Start(() => Ways[way](table, () =>
        {
            user = user == 0 ? Environment.CurrentManagedThreadId : user;
            if (user != Environment.CurrentManagedThreadId)
                return;
            isInside.Set();
            mayLeave.Wait();
        }));
        Task others = Task.CompletedTask;
        try
        {
            Assert.True(isInside.Wait(MaxWait));
            others = SideBySide.Start(table.UseEverything);
            await others.WaitAsync(MaxWait);
        }
        finally
        {
            mayLeave.Set();
            await Record.ExceptionAsync(() => call); // the key may be another one's by now, or gone
            await others;
        }
    }

    [Theory]
    [MemberData(nameof(AllWays))]
    public async Task It_may_use_the_table(string way)
    {
        using var table = new Table(DirectoryPath);
        int calls = 0;
        bool isCalled = false;
        await SideBySide.Start(() => Ways[way](table, () =>
        {
            if (isCalled || calls == 3)
                return;
            isCalled = true;
            calls++;
            table.Cased.Put("KEY", new byte[ValueBytes]);
            table.Plain.Put("key", new byte[ValueBytes]);
            table.FlushAndCompact();
            isCalled = false;
        })).WaitAsync(MaxWait);
        Assert.InRange(calls, 1, 3);
        table.Check();
    }

    [Theory]
    [MemberData(nameof(AllWays))]
    public void What_it_throws_comes_out_and_leaves_the_table_as_it_was(string way)
    {
        using var table = new Table(DirectoryPath);
        int calls = 0;
        Action failing = () =>
        {
            calls++;
            throw new InvalidOperationException("the user's");
        };
        Assert.Equal("the user's", Assert.Throws<InvalidOperationException>(() => Ways[way](table, failing)).Message);
        Assert.Equal(1, calls);
        table.Comparer.Comparing = null;
        Assert.Equal(ValueBytes, table.Cased.Get("kEy").Length);
        table.FlushAndCompact();
        table.Check();
    }

    /// <summary>An application's comparer is asked outside of all locks; keys that come in between are asked about as well.</summary>
    [Fact]
    public void Keys_that_are_the_same_stay_one_entry_whoever_puts_and_removes_them()
    {
        using var table = new Table(DirectoryPath);
        int seed = TestLeg.Seed(71);
        string[] keys = ["one", "two", "six", "ten"];
        Parallel.For(0, 4, thread =>
        {
            var random = new Random(seed + thread);
            for (int i = 0; i < TestLeg.Steps(4_000, 400_000); i++)
            {
                string key = keys[random.Next(keys.Length)];
                key = random.Next(3) switch { 0 => key, 1 => key.ToUpperInvariant(), _ => key[..1].ToUpperInvariant() + key[1..] };
                if (random.Next(3) == 0)
                    table.Cased.Remove(key);
                else if (random.Next(2) == 0)
                    table.Cased.Put(key, new byte[random.Next(40)]);
                else
                    _ = table.Cased.TryGet(key, out byte[]? _);
            }
        });
        string[] left = [.. table.Cased.Keys];
        Assert.True(left.Length == left.Distinct(StringComparer.OrdinalIgnoreCase).Count(), $"seed {seed}: {string.Join(", ", left)}");
        Assert.Equal(left.Length, table.Cased.Count);
        foreach (string key in left)
            Assert.True(table.Cased.Remove(key.ToUpperInvariant()));
        Assert.Equal(1, table.Plain.Count);
        table.Check();
    }

    private static Action<Table, Action> Comparing(Action<CacheTable<string, byte[]>> use) => (table, called) =>
    {
        table.Comparer.Comparing = called;
        use(table.Cased);
    };

    private static long ReadManyUtf8(CacheTable<string, byte[]> table, IBufferWriter<byte> writer) =>
        table.ByUtf8().ReadMany(Utf8, [Utf8.Length], writer, 1 << 20, new int[1], new EntryInfo[1]);

    /// <summary>A table with a comparer of the user's, and one without, of one entry each.</summary>
    private sealed class Table : IDisposable
    {
        internal Table(string directory)
        {
            _mapped = TestCache.Open(directory);
            Plain = _mapped.GetOrCreateTable<string, byte[]>("plain");
            Cased = _native.GetOrCreateTable<string, byte[]>(TestCache.Durable("cased"), Comparer);
            Plain.Put("key", new byte[ValueBytes]);
            Cased.Put("Key", new byte[ValueBytes]);
        }

        private readonly PileCache _mapped;
        private readonly PileCache _native = TestCache.Make(); // a mapped one has no comparers

        internal CallingComparer Comparer { get; } = new();

        internal CacheTable<string, byte[]> Plain { get; }

        internal CacheTable<string, byte[]> Cased { get; }

        internal void UseEverything()
        {
            Cased.Put("KEY", new byte[ValueBytes]);
            Assert.True(Cased.Remove("key"));
            Cased.Put("KEY", new byte[ValueBytes]);
            Plain.Put("key", new byte[ValueBytes]);
            Cased.Configure(TestCache.Durable("cased"));
            Cased.Clear();
            Plain.Configure(TestCache.Durable("plain"));
            FlushAndCompact();
        }

        internal void FlushAndCompact()
        {
            _mapped.Pile.Flush();
            foreach (PileCache cache in (PileCache[])[_mapped, _native])
            {
                cache.Pile.Trim();
                cache.Pile.Compact();
            }
        }

        internal void Check()
        {
            foreach (PileCache cache in (PileCache[])[_mapped, _native])
            {
                PileStatistics s = cache.Pile.Statistics;
                Assert.Equal(cache.Pile.Sum(static entry => (long)entry.SizeBytes), s.PayloadBytes);
                Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes + s.UnexaminedBytes);
                Assert.True(cache.Pile.Verify().IsSound);
            }
        }

        public void Dispose()
        {
            _mapped.Dispose();
            _native.Dispose();
        }
    }
}
