using System;
using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>The progress of the tables' index recovery.</summary>
/// <param name="Progress">The share, from 0 to 1.</param>
/// <param name="EntriesFound">Entries that the walk has found; none if no walk was needed.</param>
/// <param name="WasRestored">Whether the index was restored from its saved state.</param>
internal sealed record IndexProgress(double Progress, long EntriesFound, bool WasRestored)
{
    internal static IndexProgress Of(CacheReadiness readiness) =>
        new(Math.Round(readiness.Progress, 4), readiness.EntriesFound, readiness.WasRestored);
}
