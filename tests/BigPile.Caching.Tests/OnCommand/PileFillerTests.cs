using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching.Testing;

namespace BigPile.Caching.Tests.OnCommand;

/// <summary>A pile that fills on command.</summary>
public sealed class PileFillerTests : IDisposable
{
    private const long PileBytes = 8 << 20;

    // Of each kind of size: headers alone, slots from the smallest to the largest, runs of a page and of many.
    private static readonly int[] Sizes = [0, 1, 20, 57, 100, 333, 1_000, 4_000, 9_000, 20_000, 32_000, 40_000, 65_000, 300_000, 2_000_000];

    private readonly TemporaryDirectory _directory = new();

    public static TheoryData<string> Piles => ["native", "managed", "mapped"];

    public void Dispose() => _directory.Dispose();

    [Theory]
    [MemberData(nameof(Piles))]
    public async Task Nothing_fits_into_a_full_pile_and_everything_once_it_is_disposed(string kind)
    {
        using PileCache cache = Make(kind);
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        for (int key = 0; key < 2_000; key++)
            durable.Put(key, new byte[key % 700]);
        for (int key = 0; key < 2_000; key += 3)
            durable.Remove(key); // holes of all sizes
        using (PileFiller filler = PileFiller.FillUp(cache.Pile))
        {
            await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => SideBySide.Start(() =>
            {
                foreach (int bytes in Sizes)
                {
                    Assert.Throws<PileFullException>(() => durable.Put(-bytes, new byte[bytes]));
                    Assert.Throws<PileFullException>(() => cache.Pile.Put(new byte[bytes]));
                }
                Assert.Throws<PileFullException>(() => durable.Put(1, new byte[3_000])); // nor in the place of what is there
            })));
            Assert.Equal([0], durable.Get(1));
        }
        foreach (int bytes in Sizes)
            durable.Put(-bytes, new byte[bytes]);
        durable.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
    }

    [Theory]
    [MemberData(nameof(Piles))]
    public void Entries_stay_until_the_next_put_evicts_them(string kind)
    {
        using PileCache cache = Make(kind);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        CacheTable<int, byte[]> giving = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("giving") with { GivesWay = true });
        for (int key = 0; key < 500; key++)
        {
            table.Put(key, new byte[1_000]);
            giving.Put(key, new byte[1_000]);
        }
        using PileFiller filler = PileFiller.FillUp(cache.Pile);
        Assert.Equal((500, 500), (table.Count, giving.Count));
        table.Put(-1, new byte[1_000]);
        Assert.Equal(1_000, table.Get(-1).Length);
        Assert.NotEqual(0, table.Statistics.Evictions + giving.Statistics.Evictions);
        Assert.InRange(table.Count + giving.Count, 900, 1_000);
    }

    [Fact]
    public void Tables_give_way_to_a_filler_that_evicts()
    {
        using PileCache cache = Make("native");
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        table.Put(-1, [1, 2], new EntryOptions { Priority = EntryPriority.NeverEvict });
        for (int key = 0; key < 1_000; key++)
            table.Put(key, new byte[1_000]);
        for (int key = 0; key < 100; key++)
            durable.Put(key, new byte[1_000]);
        using (PileFiller.FillUp(cache.Pile, evicts: true))
        {
            Assert.Equal([1, 2], table.Get(-1));
            Assert.InRange(table.Count, 1, 20); // pages that they share with what stays
            Assert.Equal(100, durable.Count);
        }
        table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(1, 20_000)]
    [InlineData(1 << 20, 900_000)]
    [InlineData(2_500_000, 600)]
    [InlineData(PileBytes * 2, 600)]
    public void What_is_left_free_takes_objects_of_any_size(long leaveBytes, int bytes)
    {
        using PileCache cache = Make("native");
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
        durable.Put(-1, new byte[bytes]);
        using PileFiller filler = PileFiller.FillUp(cache.Pile, leaveBytes);
        void PutAll()
        {
            for (int key = 0; ; key++)
                durable.Put(key, new byte[bytes]);
        }

        long before = durable.Statistics.BlockBytes;
        Assert.Throws<PileFullException>(PutAll);
        long taken = durable.Statistics.BlockBytes - before;
        long left = Math.Min(leaveBytes, PileBytes);
        Assert.InRange(taken, left * 7 / 8, left + left / 8 + 3 * (64 << 10));
    }

    [Fact]
    public async Task A_filler_may_be_disposed_often_by_many_and_after_its_pile()
    {
        PileCache cache = Make("native");
        PileFiller filler = PileFiller.FillUp(cache.Pile);
        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => SideBySide.Start(filler.Dispose)));
        filler.Dispose();
        Assert.Equal(0, cache.Pile.Statistics.ObjectCount);
        PileFiller late = PileFiller.FillUp(cache.Pile);
        cache.Dispose();
        late.Dispose();
        Assert.Throws<ObjectDisposedException>(() => PileFiller.FillUp(cache.Pile));
    }

    [Fact]
    public void A_mapped_pile_keeps_nothing_of_a_filler_that_was_disposed()
    {
        for (int start = 0; start < 2; start++)
        {
            using PileCache cache = Make("mapped");
            CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
            if (start == 0)
                durable.Put(1, [1]);
            PileFiller filler = PileFiller.FillUp(cache.Pile);
            cache.Pile.Flush(); // what is freed from here on is free with the next flush
            filler.Dispose();
            durable.Put(2 + start, new byte[2_000_000]);
            Assert.Equal(2 + start, durable.Count);
            Assert.DoesNotContain(cache.Pile, static entry => entry.Kind == PayloadKind.Bytes);
        }
    }

    [Fact]
    public void A_pile_without_a_limit_is_refused_and_the_message_says_what_to_do()
    {
        using var pile = new Pile(new PileOptions { MaxBytes = long.MaxValue });
        string said = Assert.Throws<ArgumentException>(() => PileFiller.FillUp(pile)).Message;
        Assert.Contains("PileOptions.MaxBytes", said, StringComparison.Ordinal);
        Assert.Contains("TestPiles.Make", said, StringComparison.Ordinal);
        using Pile limited = TestPiles.Make();
        Assert.Throws<ArgumentOutOfRangeException>(() => PileFiller.FillUp(limited, -1));
        Assert.Throws<ArgumentException>(() => TestPiles.Make(1));
    }

    [Fact]
    public void A_pile_for_reading_is_refused()
    {
        Make("mapped").Dispose();
        using var pile = Pile.Open(_directory.Pile, new PileOptions { ReadOnly = true, MaxBytes = PileBytes });
        Assert.Contains("ReadOnly", Assert.Throws<ArgumentException>(() => PileFiller.FillUp(pile)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(5_000_001)]
    [InlineData(8 << 20)]
    public void A_pile_of_any_limit_without_a_cache_is_filled(long maxBytes)
    {
        using Pile pile = TestPiles.Make(maxBytes);
        using PileFiller filler = PileFiller.FillUp(pile);
        using PileFiller second = PileFiller.FillUp(pile, leaveBytes: 1_000);
        Assert.All(Sizes, bytes => Assert.Throws<PileFullException>(() => pile.Put(new byte[bytes])));
        Assert.InRange(pile.Statistics.ReservedBytes, maxBytes - (64 << 10), maxBytes);
        Assert.Equal(0, pile.Statistics.UnusedBytes);
    }

    [Theory]
    [MemberData(nameof(Piles))]
    public void Puts_and_fillers_side_by_side_lose_nothing_that_must_stay(string kind)
    {
        using PileCache cache = Make(kind);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        for (int key = 0; key < 500; key++)
        {
            durable.Put(key, BitConverter.GetBytes(key));
            table.Put(key, new byte[1_000]);
        }
        void Use(int thread, int round)
        {
            var value = new byte[4 + 37 * round % 3_000];
            BitConverter.TryWriteBytes(value, round);
            try
            {
                table.Put(round, value);
            }
            catch (PileFullException)
            {
                // the filler may have all that the other threads' removals freed
            }
            if (table.TryGet(round - thread, out byte[]? found))
                Assert.True(found.Length >= 4);
            if (round % 3 == 0)
                table.Remove(round / 2);
            Assert.Equal(round % 500, BitConverter.ToInt32(durable.Get(round % 500)));
        }
        SideBySide.Rounds(
            new SideBySide.Worker(2_000, round => Use(1, round)),
            new SideBySide.Worker(2_000, round => Use(2, round)),
            new SideBySide.Worker(5, round => PileFiller.FillUp(cache.Pile, round * 10_000, evicts: round % 2 == 0).Dispose()),
            new SideBySide.Worker(5, round =>
            {
                using PileFiller filler = PileFiller.FillUp(cache.Pile);
                table.EvictNow(round);
            }));
        Assert.Equal(500, durable.Count);
        table.Core.CheckInvariants();
        durable.Core.CheckInvariants();
        cache.Pile.Engine.Blocks.Allocator.CheckInvariants();
        Assert.DoesNotContain(cache.Pile, static entry => entry.Kind == PayloadKind.Bytes);
    }

    private PileCache Make(string kind) => new(
        kind switch
        {
            "native" => TestPiles.Make(PileBytes),
            "managed" => new Pile(new PileOptions { Store = StoreKind.Managed, SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
            _ => Pile.Open(_directory.Pile, new PileOptions { SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
        },
        new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero });
}
