using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>What a host's pile is to be, and how it is opened.</summary>
/// <param name="Pile">The pile's own options, with its clock and its log.</param>
internal sealed record PilePlan(PileOptions Pile)
{
    /// <summary>Whether the pile counts as open only when its tables know every entry again.</summary>
    internal bool WaitsForTables { get; init; } = true;

    /// <summary>Where the indexes of tables are kept, if not with the pile.</summary>
    internal string? IndexDirectory { get; init; }

    /// <summary>Where entries go that leave the memory of tables at their limits, if not nowhere.</summary>
    internal string? SpillDirectory { get; init; }

    /// <summary>How long a caller waits for another one's factory.</summary>
    internal TimeSpan FactoryPatience { get; init; } = PileCacheOptions.DefaultFactoryTimeout;

    /// <summary>How long the host's start waits for the pile.</summary>
    internal TimeSpan StartWait { get; init; }

    /// <summary>Called when the pile is open and before it is served.</summary>
    internal Action<PileCache>? Opened { get; init; }

    /// <summary>The tables that are there before anything is served.</summary>
    internal IReadOnlyList<TableRegistration> Tables { get; init; } = [];

    /// <summary>The most tables that clients may bring their number to.</summary>
    internal int MaxTables { get; init; }
}
