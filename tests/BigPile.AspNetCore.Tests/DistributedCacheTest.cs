using System;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;

namespace BigPile.AspNetCore.Tests;

/// <summary>A distributed cache with a manual clock.</summary>
public abstract class DistributedCacheTest : IDisposable
{
    private readonly PileCache _pile;

    protected DistributedCacheTest()
    {
        _pile = TestCache.Make(Time);
        Cache = new PileDistributedCache(_pile.GetOrCreateTable<string, byte[]>("d"), Time);
    }

    private protected ManualTime Time { get; } = new();

    private protected PileDistributedCache Cache { get; }

    private protected Calls CallsOf(bool isAsync) => new(Cache, isAsync);

    public void Dispose()
    {
        _pile.Dispose();
        GC.SuppressFinalize(this);
    }
}
