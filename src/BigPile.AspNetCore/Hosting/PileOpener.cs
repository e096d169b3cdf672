using System;
using System.Diagnostics;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>Opens a pile by its plan.</summary>
internal sealed class PileOpener(PilePlan plan)
{
    private volatile PileCache? _opened;

    /// <summary>The cache, already while its entries are being found, to watch the progress; <see langword="null"/> before.</summary>
    internal PileCache? Opened => _opened;

    /// <summary>The time to open the pile, and then its tables.</summary>
    internal (TimeSpan Pile, TimeSpan Tables) Times { get; private set; }

    /// <summary>Opens the pile and its tables; may take long.</summary>
    internal PileCache Open()
    {
        long began = Stopwatch.GetTimestamp();
        var pile = new Pile(plan.Pile);
        long opened = Stopwatch.GetTimestamp();
        PileCache cache = OpenTables(pile);
        _opened = cache;
        if (plan.WaitsForTables)
            WaitForTables(cache);
        Times = (Stopwatch.GetElapsedTime(began, opened), Stopwatch.GetElapsedTime(opened));
        return cache;
    }

    private PileCache OpenTables(Pile pile)
    {
        try
        {
            return new PileCache(pile, new PileCacheOptions
            {
                OwnsPile = true,
                TimeProvider = plan.Pile.TimeProvider,
                IndexDirectory = plan.IndexDirectory,
                SpillDirectory = plan.SpillDirectory,
                MonitorsMemory = plan.MonitorsMemory,
                FactoryPatience = plan.FactoryPatience,
                MaxFactories = plan.MaxFactories,
                MaxRefreshes = plan.MaxRefreshes,
                DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable },
            });
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }

    // Until the index knows all entries, a request could be told that an existing entry is missing.
    private static void WaitForTables(PileCache cache)
    {
        try
        {
            cache.Readiness.Completion.GetAwaiter().GetResult();
        }
        catch
        {
            cache.Dispose();
            throw;
        }
    }
}
