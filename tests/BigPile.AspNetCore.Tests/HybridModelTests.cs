using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Hybrid;
using Xunit.Abstractions;

namespace BigPile.AspNetCore.Tests;

/// <summary>Readers beside writers: no value is older than the last change that was over when its call began.</summary>
/// <remarks>
/// Each key has one writer, which raises the number that factories give, and then sets, removes, or removes a tag. Values leave the first
/// level at once or soon, callers leave their runs, and the second level answers late.
/// </remarks>
public sealed class HybridModelTests(ITestOutputHelper output) : HybridCacheTest
{
    private const int Keys = 2;
    private const int Writes = 600; // of each key
    private const int Readers = 6;
    private const int ReadsBetween = 40; // two writes of a key
    private const int MostYields = 40; // of an answer of the second level, or a factory

    private readonly long[] _source = new long[Keys];
    private readonly long[] _over = new long[Keys]; // the number at the last change that is over
    private int _writing = Keys;
    private int _calls;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Nobody_gets_what_was_replaced_or_removed_before(bool hasSecond)
    {
        int seed = Environment.TickCount;
        output.WriteLine($"seed {seed}");
        using PileCache pile = new(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }), new PileCacheOptions { OwnsPile = true });
        _calls = seed;
        var cache = new PileHybridCache(pile, null, hasSecond ? new RecordedBufferLevel { Latency = BeLateAsync } : null);
        await Task.WhenAll(
        [
            .. Enumerable.Range(0, Keys).Select(key => WriteAsync(cache, key, new Random(seed + key))),
            .. Enumerable.Range(Keys, Readers).Select(reader => ReadAsync(cache, new Random(seed + reader))),
        ]);
        output.WriteLine($"{Made} reads");
        Assert.Equal(0, cache.Buffers.Lent);
        Assert.All(_source, static number => Assert.Equal(Writes, number));
    }

    private async Task BeLateAsync()
    {
        for (int yields = new Random(Interlocked.Increment(ref _calls)).Next(MostYields); yields > 0; yields--)
            await Task.Yield();
    }

    private async Task WriteAsync(PileHybridCache cache, int key, Random random)
    {
        await Task.Yield();
        for (int i = 0; i < Writes; i++)
        {
            long number = Interlocked.Increment(ref _source[key]);
            switch (random.Next(3))
            {
                case 0:
                    await cache.SetAsync($"k{key}", number, Short(random), [$"t{key}"]);
                    break;
                case 1:
                    await cache.RemoveAsync($"k{key}");
                    break;
                default:
                    await cache.RemoveByTagAsync($"t{key}");
                    break;
            }
            Volatile.Write(ref _over[key], number);
            for (int reads = Volatile.Read(ref Made) + random.Next(2 * ReadsBetween); Volatile.Read(ref Made) < reads;)
                await Task.Yield();
        }
        Interlocked.Decrement(ref _writing);
    }

    private async Task ReadAsync(PileHybridCache cache, Random random)
    {
        await Task.Yield();
        while (Volatile.Read(ref _writing) != 0)
        {
            int key = random.Next(Keys);
            bool isOfMany = random.Next(4) == 0;
            long least = Volatile.Read(ref _over[key]);
            Interlocked.Increment(ref Made);
            using var leaves = new CancellationTokenSource();
            ValueTask<long> call = isOfMany ? ManyAsync(cache, key, random, leaves.Token) : OneAsync(cache, key, random, leaves.Token);
            if (random.Next(4) == 0)
                await leaves.CancelAsync();
            try
            {
                Assert.InRange(await call, least, long.MaxValue);
            }
            catch (OperationCanceledException) when (leaves.IsCancellationRequested)
            {
                // the run may go on
            }
        }
    }

    private ValueTask<long> OneAsync(PileHybridCache cache, int key, Random random, CancellationToken leaves) => cache.GetOrCreateAsync(
        $"k{key}",
        async _ =>
        {
            long number = Volatile.Read(ref _source[key]);
            await BeLateAsync();
            return number;
        },
        Short(random), [$"t{key}"], leaves);

    private async ValueTask<long> ManyAsync(PileHybridCache cache, int key, Random random, CancellationToken leaves)
    {
        IReadOnlyDictionary<string, long> values = await cache.GetOrCreateManyAsync<long>(
            [$"k{key}"],
            async (keys, _) =>
            {
                long number = Volatile.Read(ref _source[key]);
                await BeLateAsync();
                return keys.ToDictionary(static key => key, _ => number);
            },
            Short(random), [$"t{key}"], leaves);
        return values[$"k{key}"];
    }

    private static HybridCacheEntryOptions Short(Random random) => new()
    {
        Expiration = TimeSpan.FromMinutes(1),
        LocalCacheExpiration = random.Next(2) == 0 ? TimeSpan.FromTicks(1) : TimeSpan.FromMinutes(1),
        Flags = random.Next(8) == 0 ? HybridCacheEntryFlags.DisableLocalCacheRead : HybridCacheEntryFlags.None,
    };
}
