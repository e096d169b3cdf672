using System;

namespace BigPile.Caching.Tests;

/// <summary>Makes caches for tests: small segments, a clock that stands still, and no sweep but by hand.</summary>
internal static class TestCache
{
    internal static PileCache Make(ManualTime? time = null, StoreKind store = StoreKind.Native, TimeSpan sweepPeriod = default) =>
        new(new Pile(new PileOptions { Store = store, SegmentBytes = 16 << 20 }), Options(time, sweepPeriod));

    internal static PileCache Open(string directory, ManualTime? time = null, bool waits = true) =>
        new(Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20 }), Options(time, default, waits));

    /// <summary>Options of all tables, of which nothing may go.</summary>
    internal static TableOptions AllDurable => new("*") { CollisionMode = CollisionMode.Durable };

    internal static TableOptions Durable(string name = "t") => new(name) { CollisionMode = CollisionMode.Durable };

    private static PileCacheOptions Options(ManualTime? time, TimeSpan sweepPeriod, bool waits = true) => new()
    {
        OwnsPile = true,
        TimeProvider = time ?? TimeProvider.System,
        SweepPeriod = sweepPeriod,
        WaitsUntilReady = waits,
        DefaultTableOptions = AllDurable,
    };
}
