using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>A full pile has its tables give way: speculative ones with a limit, in proportion to what they hold.</summary>
public sealed class FullPileTests
{
    private const long PileBytes = 32 << 20;
    private const int ValueBytes = 1_000;

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Managed)]
    public void A_put_into_a_full_pile_takes_the_place_of_other_tables_entries(StoreKind store)
    {
        using PileCache cache = Make(store);
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        int stored = Fill(cache, first);
        CacheTable<int, byte[]> durable = PutDurable(cache, stored / 4, ValueBytes);
        Assert.Equal(stored / 4, durable.Statistics.EntryCount);
        Assert.InRange(first.Statistics.EntryCount, stored / 2, stored);
        first.Core.CheckInvariants();
        durable.Core.CheckInvariants();
    }

    [Fact]
    public void Tables_give_way_in_proportion()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>(Speculative("large"));
        CacheTable<int, byte[]> small = cache.GetOrCreateTable<int, byte[]>(Speculative("small"));
        int put = 0;
        // What went is counted: until a first entry has.
        for (; large.Statistics.Evictions + small.Statistics.Evictions == 0; put++)
            _ = put % 4 == 0 ? small.PutBytes(put, new byte[ValueBytes], out _) : large.PutBytes(put, new byte[ValueBytes], out _);
        _ = PutDurable(cache, put / 2, ValueBytes);
        // Half of the pile went. In proportion: a quarter of it from the small table, which had a quarter.
        Assert.InRange((double)small.Statistics.EntryCount / large.Statistics.EntryCount, 0.25, 0.42);
    }

    [Fact]
    public void Where_nothing_may_go_the_put_is_refused_and_nothing_went()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        CacheTable<int, byte[]> pinned = cache.GetOrCreateTable<int, byte[]>(Speculative("pinned"));
        var never = new EntryOptions { Priority = EntryPriority.NeverEvict };
        for (int key = 0; key < 100; key++)
            pinned.Put(key, new byte[ValueBytes], never);
        Fill(cache, durable);
        Assert.Throws<PileFullException>(() => durable.PutBytes(-1, new byte[ValueBytes], out _));
        Assert.Equal(100, pinned.Statistics.EntryCount);
    }

    [Fact]
    public void A_value_larger_than_all_that_may_go_evicts_nothing()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        Fill(cache, first);
        long before = first.Statistics.EntryCount;
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        Assert.Throws<PileFullException>(() => durable.PutBytes(1, new byte[PileBytes], out _));
        Assert.Equal(before, first.Statistics.EntryCount);
    }

    [Fact]
    public void A_small_value_that_replaces_large_ones_takes_few_of_them()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>(Speculative("large"));
        for (int key = 0; large.Statistics.Evictions == 0; key++)
            large.PutBytes(key, new byte[100_000], out _);
        long before = large.Statistics.EntryCount;
        _ = PutDurable(cache, 1_000, 100);
        Assert.InRange(large.Statistics.EntryCount, before - 20, before);
    }

    [Fact]
    public void Of_a_few_large_entries_few_go()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> large = cache.GetOrCreateTable<int, byte[]>(Speculative("large"));
        for (int key = 0; large.Statistics.Evictions == 0; key++)
            large.PutBytes(key, new byte[2_500_000], out _);
        long before = large.Statistics.EntryCount;
        _ = PutDurable(cache, 100, ValueBytes);
        Assert.InRange(before, 7, 16); // so few that the table does not know their mean
        Assert.InRange(large.Statistics.EntryCount, before - 2, before);
    }

    [Fact]
    public void A_large_value_for_which_nearly_all_must_go_is_stored()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        Fill(cache, first);
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        durable.PutBytes(1, new byte[PileBytes / 8 * 5], out _);
        Assert.Equal(1, durable.Statistics.EntryCount);
    }

    [Fact]
    public void A_put_that_is_refused_anyway_evicts_nothing()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        durable.PutBytes(1, [1], out EntryInfo info);
        CacheTable<int, byte[]> narrow = cache.GetOrCreateTable<int, byte[]>(new TableOptions("narrow") { FixedIndex = true });
        var never = new EntryOptions { Priority = EntryPriority.NeverEvict };
        for (int key = 0; key < 1_000; key++)
            narrow.PutBytes(key, [1], never, out _);
        Fill(cache, first);
        long before = first.Statistics.EntryCount;
        Assert.False(durable.Update(1, new byte[PileBytes / 8], info.Version + 1, out _));
        Assert.False(durable.Update(2, new byte[PileBytes / 8], info.Version, out _));
        Assert.Equal(PutResult.Collision, narrow.PutBytes(-1, new byte[PileBytes / 8], out _));
        Assert.Equal(before, first.Statistics.EntryCount);
    }

    [Fact]
    public void A_removal_by_tag_finds_space_for_its_mark()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        durable.Put(1, [1], new EntryOptions { Tags = ["red"] });
        Fill(cache, first); // with blocks of another size than a mark's
        durable.RemoveByTag("red");
        Assert.False(durable.ContainsKey(1));
        Assert.NotEqual(0, first.Statistics.EntryCount);
    }

    [Fact]
    public void What_goes_from_a_mapped_pile_is_used_after_a_flush()
    {
        using var directory = new TemporaryDirectory();
        using var cache = new PileCache(
            Pile.Open(directory.Path, new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes }), ownsPile: true);
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        int stored = Fill(cache, first);
        CacheTable<int, byte[]> durable = PutDurable(cache, stored / 4, ValueBytes);
        Assert.Equal(stored / 4, durable.Statistics.EntryCount);
        Assert.InRange(first.Statistics.EntryCount, stored / 2, stored);
    }

    [Fact]
    public void A_dropped_table_is_passed_over()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> dropped = cache.GetOrCreateTable<int, byte[]>(Speculative("dropped"));
        dropped.PutBytes(1, new byte[ValueBytes], out _);
        cache.DropTable("dropped");
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        int stored = Fill(cache, first);
        CacheTable<int, byte[]> durable = PutDurable(cache, stored / 4, ValueBytes);
        Assert.Equal(stored / 4, durable.Statistics.EntryCount);
    }

    [Fact]
    public async Task Tables_that_change_their_options_and_are_dropped_give_way_or_not()
    {
        using PileCache cache = Make();
        CacheTable<int, byte[]> first = cache.GetOrCreateTable<int, byte[]>(Speculative("first"));
        CacheTable<int, byte[]> second = cache.GetOrCreateTable<int, byte[]>(Speculative("second"));
        Fill(cache, first);
        using var stop = new System.Threading.CancellationTokenSource();
        Task changes = SideBySide.Start(() =>
        {
            for (int round = 0; !stop.IsCancellationRequested; round++)
            {
                second.Core.Configure(round % 2 == 0 ? TestCache.Durable("second") : Speculative("second"));
                _ = cache.GetOrCreateTable<int, byte[]>(Speculative("third")).PutBytes(round, new byte[ValueBytes], out _);
                cache.DropTable("third");
            }
        });
        await Task.WhenAll(Enumerable.Range(0, 2).Select(i => SideBySide.Start(() =>
        {
            for (int key = 0; key < 20_000; key++)
                _ = (i == 0 ? first : second).PutBytes(key, new byte[ValueBytes + 100 * i], out _);
        })));
        await stop.CancelAsync();
        await changes;
        second.Core.CheckInvariants();
        first.Core.CheckInvariants();
    }

    private static CacheTable<int, byte[]> PutDurable(PileCache cache, int count, int bytes)
    {
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        for (int key = 0; key < count; key++)
            durable.PutBytes(key, new byte[bytes], out _);
        return durable;
    }

    private static PileCache Make(StoreKind store = StoreKind.Native) =>
        new(new Pile(new PileOptions { Store = store, SegmentBytes = 4 << 20, MaxBytes = PileBytes }), ownsPile: true);

    private static TableOptions Speculative(string name) => new(name) { MaxBytes = 4 * PileBytes };

    // Until the pile is full: an entry was evicted, or refused.
    private static int Fill(PileCache cache, CacheTable<int, byte[]> table)
    {
        for (int key = 0; ; key++)
        {
            try
            {
                table.PutBytes(key, new byte[ValueBytes], out _);
            }
            catch (PileFullException)
            {
                return key;
            }
            if (table.Statistics.Evictions != 0)
                return key;
        }
    }
}
