using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Caching.Keys;
using BigPile.Layout;

namespace BigPile.Caching.Tests.Tables;

/// <summary>Changing options while others use, sweep and dispose: nothing hangs, and what is closed stays closed.</summary>
public sealed class ConfigureBesideDisposeTests
{
    private static readonly TimeSpan MaxWait = Eventually.Timeout;
    private static readonly TableOptions Limited = TestCache.Durable() with { MaxEntries = 500 };

    [Fact]
    public async Task A_table_that_is_closed_while_it_is_configured_stays_closed()
    {
        PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = Filled(cache);
        using var inside = new Blocker();
        Task reader = SideBySide.Start(() => ReadInside(table, inside.Enter));
        inside.WaitUntilInside();
        Task configurer = SideBySide.Start(() => table.Configure(Limited));
        Task disposer = SideBySide.Start(cache.Dispose);
        // Dispose has begun; Configure waits for the reader, or will refuse to begin.
        Eventually.True(() => Record.Exception(() => table.ContainsKey(2)) is ObjectDisposedException);
        inside.Release();
        await reader.WaitAsync(MaxWait);
        await disposer.WaitAsync(MaxWait);
        Exception? refused = await Record.ExceptionAsync(() => configurer.WaitAsync(MaxWait));
        Assert.True(refused is null or ObjectDisposedException, refused?.ToString());
        Assert.Throws<ObjectDisposedException>(() => table.ContainsKey(1));
        Assert.Throws<ObjectDisposedException>(() => table.Configure(TestCache.Durable()));
    }

    [Fact]
    public async Task Options_and_disposal_may_meet_at_any_instant()
    {
        for (int round = 0; round < TestLeg.Steps(20, 400); round++)
        {
            PileCache cache = TestCache.Make();
            CacheTable<long, byte[]> table = Filled(cache);
            Task configurer = SideBySide.Start(() =>
            {
                for (int i = 0; ; i++)
                    table.Configure(i % 2 == 0 ? Limited : TestCache.Durable());
            });
            Task maker = SideBySide.Start(() =>
            {
                for (int i = 0; ; i++)
                    cache.GetOrCreateTable<long, byte[]>(Limited with { MaxEntries = 501 + i % 2 });
            });
            Thread.SpinWait(round % 10 * 100_000); // at another instant each time
            cache.Dispose();
            await Assert.ThrowsAsync<ObjectDisposedException>(() => configurer.WaitAsync(MaxWait));
            await Assert.ThrowsAsync<ObjectDisposedException>(() => maker.WaitAsync(MaxWait));
        }
    }

    [Fact]
    public async Task What_is_refused_inside_a_call_has_changed_nothing()
    {
        PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = Filled(cache);
        Action[] refused =
        [
            () => table.Configure(Limited),
            () => cache.GetOrCreateTable<long, byte[]>(Limited),
            cache.Dispose,
        ];
        foreach (Action action in refused)
        {
            bool wasCalled = false;
            Assert.True(await SideBySide.Start(() => ReadInside(table, () =>
            {
                wasCalled = true;
                Assert.Throws<InvalidOperationException>(action);
            })).WaitAsync(MaxWait));
            Assert.True(wasCalled);
            Assert.True(await SideBySide.Start(() => table.ContainsKey(2)).WaitAsync(MaxWait));
            Assert.Equal(TestCache.Durable(), table.Options);
        }
        await SideBySide.Start(() => table.Configure(Limited)).WaitAsync(MaxWait);
        Assert.Equal(500, table.Count);
        await SideBySide.Start(cache.Dispose).WaitAsync(MaxWait);
        Assert.Throws<ObjectDisposedException>(() => table.ContainsKey(2));
    }

    [Fact]
    public async Task Code_inside_a_call_is_told_rather_than_left_waiting_for_itself()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = Filled(cache);
        CacheTable<long, byte[]> other = cache.GetOrCreateTable<long, byte[]>("other");
        using var inside = new Blocker();
        // Until the other thread has begun to change the options, the call finds nothing and returns.
        inside.Then = () => Eventually.True(() => Record.Exception(() => other.ContainsKey(1)) is InvalidOperationException);
        Task reader = SideBySide.Start(() => ReadInside(table, inside.Enter));
        inside.WaitUntilInside();
        Task configurer = SideBySide.Start(() => other.Configure(TestCache.Durable("other") with { MaxEntries = 5 }));
        inside.Release();
        await reader.WaitAsync(MaxWait);
        await configurer.WaitAsync(MaxWait);
        Assert.False(other.ContainsKey(1));
    }

    [Fact]
    public async Task Sweeps_and_changes_of_options_do_not_wait_for_each_other()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t"); // empty, so that sweeps end as often as can be
        table.RemoveByTag("any");
        using var stop = new CancellationTokenSource();
        Task sweeper = SideBySide.Start(() =>
        {
            while (!stop.IsCancellationRequested)
                table.Sweep();
        });
        await SideBySide.Start(() =>
        {
            for (int i = 0; i < 5_000; i++)
                table.Configure(TestCache.Durable() with { Statistics = i % 2 == 0 });
        }).WaitAsync(MaxWait);
        await stop.CancelAsync();
        await sweeper.WaitAsync(MaxWait);
    }

    private static CacheTable<long, byte[]> Filled(PileCache cache)
    {
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>("t");
        for (long key = 0; key < 3_000; key++)
            table.Put(key, [1, 2, 3]);
        return table;
    }

    private static bool ReadInside(CacheTable<long, byte[]> table, Action inside)
    {
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        var reader = new CallingReader(inside);
        return table.Core.Lookup.TryRead(table.KeyCodec.Probe(1, stack), ref reader, out _);
    }

    /// <summary>Runs something within a read, as nothing of an application's can.</summary>
    private readonly struct CallingReader(Action inside) : IPayloadReader
    {
        public unsafe void Read(byte* payload, long lengthBytes, BlockKind kind) => inside();
    }

    private sealed class Blocker : IDisposable
    {
        private readonly ManualResetEventSlim _inside = new();
        private readonly ManualResetEventSlim _go = new();

        internal Action Then { get; set; } = static () => { };

        public void Dispose()
        {
            _inside.Dispose();
            _go.Dispose();
        }

        internal void Enter()
        {
            _inside.Set();
            Assert.True(_go.Wait(MaxWait));
            Then();
        }

        internal void WaitUntilInside() => Assert.True(_inside.Wait(MaxWait));

        internal void Release() => _go.Set();
    }
}
