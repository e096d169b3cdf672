using System;
using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>How far the tables are in finding their entries again.</summary>
/// <param name="Progress">The share, from 0 to 1.</param>
/// <param name="EntriesFound">Entries that the walk came upon; none when no walk was needed.</param>
/// <param name="WasRestored">Whether the index came back as it was saved.</param>
internal sealed record IndexProgress(double Progress, long EntriesFound, bool WasRestored)
{
    internal static IndexProgress Of(CacheReadiness readiness) =>
        new(Math.Round(readiness.Progress, 4), readiness.EntriesFound, readiness.WasRestored);
}
