using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Rebuild;

/// <summary>A pile that is full while the index of a table is rebuilt, which gives way only after that.</summary>
public sealed class FullWhileRebuildingTests : StoppedCacheTest
{
    private const long PileBytes = 32 << 20;
    private const int ValueBytes = 1_000;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_put_waits_until_a_table_can_give_way(bool isObject)
    {
        string stopped = MakeFull();
        using var time = new HeldTime();
        using PileCache cache = Open(stopped, time);
        CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t")); // until then it is durable
        CacheTable<int, byte[]> durable = cache.GetOrCreateTable<int, byte[]>(TestCache.Durable("durable"));
        Task put = SideBySide.Start(() =>
        {
            time.Admit();
            for (int key = 0; key < 1_000; key++)
            {
                if (isObject)
                    cache.Pile.Put(new byte[ValueBytes]);
                else
                    durable.PutBytes(key, new byte[ValueBytes], out _);
            }
        });
        Eventually.True(() => time.IsHolding);
        Assert.False(cache.Readiness.IsReady);
        Assert.False(put.IsCompleted);
        time.Release();
        await put;
        Assert.NotEqual(0, table.Statistics.Evictions);
        Assert.Equal(0, PileHealth.Of(cache.Pile).RefusedPutCount);
    }

    // A pile that is full of a speculative table, whose index is lost.
    private string MakeFull()
    {
        using (var cache = new PileCache(Pile.Open(DirectoryPath, Options()), new PileCacheOptions { OwnsPile = true }))
        {
            CacheTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>(new TableOptions("t"));
            for (int key = 0; table.Statistics.Evictions == 0; key++)
                table.PutBytes(key, new byte[ValueBytes], out _);
        }
        return ForgetIndexes(DirectoryPath);
    }

    private static PileOptions Options() => new() { SegmentBytes = 4 << 20, MaxBytes = PileBytes };

    private static PileCache Open(string directory, HeldTime time)
    {
        time.Admit();
        return new PileCache(
            Pile.Open(directory, Options()),
            new PileCacheOptions { OwnsPile = true, SweepPeriod = TimeSpan.Zero, WaitsUntilReady = false, TimeProvider = time });
    }

    /// <summary>A clock that lets only threads pass which it has admitted: it holds the end of the rebuild, which reads it.</summary>
    private sealed class HeldTime : TimeProvider, IDisposable
    {
        private readonly ManualResetEventSlim _isReleased = new();
        private readonly ThreadLocal<bool> _isAdmitted = new();
        private volatile bool _isHolding;

        internal bool IsHolding => _isHolding;

        internal void Admit() => _isAdmitted.Value = true;

        internal void Release() => _isReleased.Set();

        public override long GetTimestamp()
        {
            if (!_isAdmitted.Value && !_isReleased.IsSet)
            {
                _isHolding = true;
                _isReleased.Wait();
            }
            return base.GetTimestamp();
        }

        public void Dispose()
        {
            _isReleased.Dispose();
            _isAdmitted.Dispose();
        }
    }
}
