using System;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>The options of one call, with defaults filled in.</summary>
internal readonly record struct HybridPlan(TimeSpan Expiration, TimeSpan LocalExpiration, HybridCacheEntryFlags Flags)
{
    private static readonly TimeSpan UsualExpiration = TimeSpan.FromMinutes(5);

    internal bool ReadsLocal => !Flags.HasFlag(HybridCacheEntryFlags.DisableLocalCacheRead);

    internal bool WritesLocal => !Flags.HasFlag(HybridCacheEntryFlags.DisableLocalCacheWrite);

    internal bool ReadsDistributed => !Flags.HasFlag(HybridCacheEntryFlags.DisableDistributedCacheRead);

    internal bool WritesDistributed => !Flags.HasFlag(HybridCacheEntryFlags.DisableDistributedCacheWrite);

    internal bool RunsFactory => !Flags.HasFlag(HybridCacheEntryFlags.DisableUnderlyingData);

    /// <summary>The same for a key that no level takes.</summary>
    internal HybridPlan WithoutCaching() =>
        this with { Flags = Flags | HybridCacheEntryFlags.DisableLocalCache | HybridCacheEntryFlags.DisableDistributedCache };

    /// <exception cref="ArgumentOutOfRangeException">A lifetime is not above zero.</exception>
    internal static HybridPlan Of(HybridCacheEntryOptions? call, HybridCacheEntryOptions? defaults)
    {
        TimeSpan total = Check(call?.Expiration ?? defaults?.Expiration ?? UsualExpiration, nameof(HybridCacheEntryOptions.Expiration));
        TimeSpan local = Check(
            call?.LocalCacheExpiration ?? defaults?.LocalCacheExpiration ?? total, nameof(HybridCacheEntryOptions.LocalCacheExpiration));
        return new HybridPlan(total, local < total ? local : total, call?.Flags ?? defaults?.Flags ?? HybridCacheEntryFlags.None);
    }

    private static TimeSpan Check(TimeSpan time, string name) =>
        time > TimeSpan.Zero
            ? time
            : throw new ArgumentOutOfRangeException(
                name, time, $"HybridCacheEntryOptions.{name} must be above zero. To keep nothing, use Flags.");
}
