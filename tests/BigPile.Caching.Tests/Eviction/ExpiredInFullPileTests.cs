using System;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>Expired entries keep nothing out of a full pile, also in tables that do not give way.</summary>
public sealed class ExpiredInFullPileTests : IDisposable
{
    private const long PileBytes = 32 << 20;
    private const int ValueBytes = 1_000;

    private static readonly TimeSpan Age = TimeSpan.FromMinutes(1);

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<int, byte[]> _table;

    public ExpiredInFullPileTests()
    {
        _cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 4 << 20, MaxBytes = PileBytes }),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, TimeProvider = _time });
        _table = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable());
    }

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void What_has_expired_makes_space_for_a_put_and_no_more_goes_than_a_batch()
    {
        int stored = Fill();
        _time.Advance(Age);
        CacheTable<int, byte[]> other = _cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("other"));
        for (int key = 0; key < stored / 2; key++)
            other.Put(key, new byte[ValueBytes], new EntryOptions { MaxAge = Age });
        Assert.InRange(_table.Statistics.EntryCount, stored / 2 - 2_000, stored - stored / 2);
        _table.Core.CheckInvariants();
    }

    [Theory]
    [InlineData(100)]
    [InlineData(5_000)]
    [InlineData(300_000)]
    public void It_makes_space_for_blocks_of_other_sizes(int bytes)
    {
        Fill();
        _time.Advance(Age);
        for (long put = 0; put < PileBytes / 2; put += bytes)
            _cache.Pile.Put(new byte[bytes]);
        Assert.Equal(1, PileHealth.Of(_cache.Pile).RefusedPutCount); // that of Fill
    }

    [Fact]
    public void After_a_round_that_found_nothing_there_is_a_pause()
    {
        _table.Put(-1, new byte[ValueBytes], new EntryOptions { MaxAge = TimeSpan.FromMilliseconds(1) });
        Fill(); // its last put has swept in vain
        _time.Advance(TimeSpan.FromMilliseconds(500));
        Assert.Throws<PileFullException>(() => _table.Put(-2, new byte[ValueBytes], new EntryOptions { MaxAge = Age }));
        _time.Advance(TimeSpan.FromMilliseconds(501));
        _table.Put(-2, new byte[ValueBytes], new EntryOptions { MaxAge = Age });
        Assert.False(_table.ContainsKey(-1));
    }

    // Until a put is refused.
    private int Fill()
    {
        var options = new EntryOptions { MaxAge = Age };
        for (int key = 0; ; key++)
        {
            try
            {
                _table.Put(key, new byte[ValueBytes], options);
            }
            catch (PileFullException)
            {
                return key;
            }
        }
    }
}
