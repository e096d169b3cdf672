using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Capacity;

/// <summary>What a full pile refuses its tables is counted, and a value that was made is given out all the same.</summary>
public sealed class RefusalTests : IDisposable
{
    private const long PileBytes = 8 << 20;
    private const int ValueBytes = 1_000;

    private static readonly EntryOptions Pinned = new() { Priority = EntryPriority.NeverEvict };
    private static readonly byte[] Large = new byte[PileBytes];

    private readonly ManualTime _time = new();
    private readonly KeptLog _log = new();
    private readonly TemporaryDirectory _directory = new();
    private readonly PileCache _cache;
    private readonly CacheTable<int, byte[]> _table;

    public RefusalTests()
    {
        _cache = new PileCache(
            new Pile(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes, TimeProvider = _time, Logger = _log }),
            new PileCacheOptions { OwnsPile = true, TimeProvider = _time, SpillDirectory = _directory.Path });
        _table = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
    }

    private long Count => PileHealth.Of(_cache.Pile).RefusedPutCount;

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
        _log.Dispose();
    }

    public static TheoryData<string> Overloads => ["sync", "sync with state", "async", "async with state"];

    [Theory]
    [MemberData(nameof(Overloads))]
    public async Task What_a_factory_made_is_given_out_though_the_pile_is_full(string overload)
    {
        FillPile();
        for (int run = 1; run <= 3; run++)
        {
            long before = Count;
            byte[] made = [(byte)run];
            Assert.Same(made, await GetOrAddAsync(overload, -1, () => made));
            Assert.Equal(before + 1, Count);
        }
        Assert.False(_table.ContainsKey(-1));
        _table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task All_who_wait_get_what_was_made_by_one_run(bool isSync)
    {
        FillPile();
        int runs = 0;
        var go = new TaskCompletionSource();
        Task<byte[]>[] callers = [.. Enumerable.Range(0, 6).Select(_ => SideBySide.Start(() => isSync
            ? Task.FromResult(_table.GetOrAdd(-1, _ => MakeAsync().GetAwaiter().GetResult()))
            : _table.GetOrAddAsync(-1, (_, _) => new ValueTask<byte[]>(MakeAsync())).AsTask()).Unwrap())];
        await Eventually.TrueAsync(() => System.Threading.Volatile.Read(ref runs) == 1);
        long before = Count;
        go.SetResult();
        byte[][] values = await Task.WhenAll(callers);
        Assert.All(values, static value => Assert.Equal(7, Assert.Single(value)));
        // Who came only after the run had ended ran its own.
        Assert.Equal(runs, Count - before);

        async Task<byte[]> MakeAsync()
        {
            System.Threading.Interlocked.Increment(ref runs);
            await go.Task;
            return [7];
        }
    }

    [Theory]
    [MemberData(nameof(Overloads))]
    public async Task A_factory_that_is_refused_itself_fails(string overload)
    {
        FillPile();
        await Assert.ThrowsAsync<PileFullException>(() => GetOrAddAsync(overload, -1, () =>
        {
            _table.Put(-2, new byte[ValueBytes]);
            return [1];
        }));
        await Assert.ThrowsAsync<PileSerializationException>(async () =>
        {
            CacheTable<int, object> objects = _cache.GetOrCreateTable<int, object>("t");
            _ = await objects.GetOrAddAsync(-1, static (_, _) => new ValueTask<object>(new System.IO.MemoryStream()));
        });
    }

    [Theory]
    [MemberData(nameof(Overloads))]
    public async Task A_table_at_its_own_limit_gives_the_value_out_and_is_no_refusal_of_the_pile(string overload)
    {
        _table.Core.Configure(TestCache.Durable() with { MaxEntries = 1 });
        _table.Put(1, [1], Pinned);
        byte[] made = [2];
        Assert.Same(made, await GetOrAddAsync(overload, 2, () => made));
        Assert.Equal(PutResult.Collision, _table.Put(2, [2]));
        Assert.Equal((0, 2), (Count, _table.Statistics.Collisions));
        Assert.Empty(_log.Lines);
    }

    [Fact]
    public void A_put_counts_once_and_one_that_others_give_way_to_does_not()
    {
        Assert.Throws<PileFullException>(() => _table.Put(1, Large));
        Assert.Equal(1, Count);
        CacheTable<int, byte[]> evicting = _cache.GetOrCreateTable<int, byte[]>(new TableOptions("e") { MaxBytes = PileBytes });
        for (int key = 0; evicting.Statistics.Evictions == 0; key++)
            evicting.Put(key, new byte[ValueBytes]);
        for (int key = 0; key < 100; key++)
            _table.Put(key, new byte[ValueBytes]);
        Assert.Equal(1, Count);
        Assert.Equal(1, _cache.Pile.Statistics.RefusedPutCount);
    }

    [Fact]
    public void A_removal_by_tag_is_no_put()
    {
        _table.Put(1, [1], new EntryOptions { Tags = ["red"] });
        FillPile();
        long before = Count;
        Assert.Throws<PileFullException>(() => _table.RemoveByTag("red"));
        Assert.Equal(before, Count);
    }

    [Fact]
    public void An_entry_that_cant_come_back_from_its_file_is_no_put()
    {
        var options = new TableOptions("spilling") { MaxEntries = 10 };
        CacheTable<int, byte[]> spilling = _cache.GetOrCreateTable<int, byte[]>(options);
        for (int key = 0; key < 20; key++)
            spilling.Put(key, [(byte)key]);
        Eventually.True(() => spilling.Statistics.SpilledEntries == 10);
        int spilled = Enumerable.Range(0, 20).Except(spilling.Keys).First();
        foreach (int key in spilling.Keys.ToArray())
            spilling.Put(key, [(byte)key], Pinned);
        spilling.Configure(options with { MaxEntries = 100 });
        FillPile();
        long before = Count;
        Assert.Equal([(byte)spilled], spilling.Get(spilled));
        Assert.Equal(10, spilling.Statistics.SpilledEntries);
        Assert.Equal(before, Count);
    }

    [Fact]
    public async Task A_sweep_says_the_rest_a_minute_after_the_last_line()
    {
        using var log = new KeptLog();
        using var cache = new PileCache(
            new Pile(new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes, TimeProvider = _time, Logger = log }),
            new PileCacheOptions { OwnsPile = true, TimeProvider = _time });
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        Assert.Throws<PileFullException>(() => table.Put(1, Large));
        await Eventually.TrueAsync(() => log.Lines.Count == 1);
        for (int i = 0; i < 12; i++)
            Assert.Throws<PileFullException>(() => table.Put(1, Large));
        for (int second = 0; second < 59; second++)
            _time.Advance(TimeSpan.FromSeconds(1));
        Assert.Single(log.Lines);
        _time.Advance(TimeSpan.FromSeconds(1));
        await Eventually.TrueAsync(() => log.Lines.Count == 2);
        Assert.StartsWith("12 puts were refused in the last 60 s as the pile is full.", log.Lines.Last(), StringComparison.Ordinal);
        _time.Advance(TimeSpan.FromMinutes(5));
        Assert.Equal(2, log.Lines.Count);
    }

    private async Task<byte[]> GetOrAddAsync(string overload, int key, Func<byte[]> make) => overload switch
    {
        "sync" => _table.GetOrAdd(key, _ => make()),
        "sync with state" => _table.GetOrAdd(key, make, static (_, make) => make()),
        "async" => await _table.GetOrAddAsync(key, (_, _) => new ValueTask<byte[]>(make())),
        "async with state" => await _table.GetOrAddAsync(key, make, static (_, make, _) => new ValueTask<byte[]>(make())),
        _ => throw new KeyNotFoundException(overload),
    };

    // With objects of no table, to which nothing gives way: until not even a small one fits.
    private void FillPile()
    {
        foreach (int size in (int[])[100_000, ValueBytes, 200, 100, 60, 40, 20, 8])
            Assert.Throws<PileFullException>(() => FillWith(size));
    }

    private void FillWith(int bytes)
    {
        while (true)
            _cache.Pile.Put(new byte[bytes]);
    }
}
