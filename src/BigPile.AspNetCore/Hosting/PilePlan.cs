using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>How a host opens its pile.</summary>
/// <param name="Pile">The pile's own options, with its clock and logger.</param>
internal sealed record PilePlan(PileOptions Pile)
{
    /// <summary>Whether the pile counts as open only when its tables have found all entries.</summary>
    internal bool WaitsForTables { get; init; } = true;

    /// <summary>The directory of the tables' indexes; <see langword="null"/>: with the pile.</summary>
    internal string? IndexDirectory { get; init; }

    /// <summary>The directory to which tables at their limits move entries; <see langword="null"/>: they are evicted.</summary>
    internal string? SpillDirectory { get; init; }

    /// <summary>Whether tables that give way shrink while memory is short.</summary>
    internal bool MonitorsMemory { get; init; } = true;

    /// <summary>How long a caller waits for another caller's factory.</summary>
    internal TimeSpan FactoryPatience { get; init; } = new PileCacheOptions().FactoryPatience;

    /// <summary>How many factories run at a time; <see langword="null"/>: any number.</summary>
    internal int? MaxFactories { get; init; }

    /// <summary>How many refreshes ahead of an expiry run at a time.</summary>
    internal int MaxRefreshes { get; init; } = new PileCacheOptions().MaxRefreshes;

    /// <summary>How long the host's start waits for the pile.</summary>
    internal TimeSpan StartWait { get; init; }

    /// <summary>Called when the pile is open and before it is served.</summary>
    internal Action<PileCache>? Opened { get; init; }

    /// <summary>The tables to create before anything is served.</summary>
    internal IReadOnlyList<TableRegistration> Tables { get; init; } = [];

    /// <summary>What is wrong with settings of adapters; the cache advises on those of pile and tables itself.</summary>
    internal IReadOnlyList<string> Advice { get; init; } = [];

    /// <summary>Clients can't create a table when there are this many.</summary>
    internal int MaxTables { get; init; }
}
