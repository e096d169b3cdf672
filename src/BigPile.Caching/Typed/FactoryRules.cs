using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>What a call says about its factory: how long it may take, when it is tried again, and when it runs ahead.</summary>
internal readonly struct FactoryRules
{
    internal FactoryRules(TableOptions defaults, EntryOptions? options)
    {
        SoftTimeout = options?.FactorySoftTimeout ?? defaults.FactorySoftTimeout;
        HardTimeout = options?.FactoryHardTimeout ?? defaults.FactoryHardTimeout;
        Throttle = options?.FailSafeThrottle ?? defaults.FailSafeThrottle;
        EagerRefresh = options?.EagerRefresh ?? defaults.EagerRefresh;
        if (options == null) // those of the table were validated
            return;
        if (!FactoryTimeouts.IsValid(SoftTimeout))
            Refuse(nameof(EntryOptions.FactorySoftTimeout), SoftTimeout, FactoryTimeouts.Range);
        if (!FactoryTimeouts.IsValid(HardTimeout))
            Refuse(nameof(EntryOptions.FactoryHardTimeout), HardTimeout, FactoryTimeouts.Range);
        if (Throttle < TimeSpan.Zero)
            Refuse(nameof(EntryOptions.FailSafeThrottle), Throttle, "at least zero");
        if (EagerRefresh is not (null or (> 0 and < 1)))
            Refuse(nameof(EntryOptions.EagerRefresh), EagerRefresh, "above 0 and below 1");
    }

    internal TimeSpan? SoftTimeout { get; }

    internal TimeSpan? HardTimeout { get; }

    internal TimeSpan Throttle { get; }

    internal double? EagerRefresh { get; }

    /// <summary>The hard time limit, or none.</summary>
    internal TimeSpan HardLimit => HardTimeout ?? Timeout.InfiniteTimeSpan;

    /// <summary>Whether there is a soft time limit, and it ends before another one.</summary>
    internal bool HasSoftWithin(TimeSpan limit, out TimeSpan soft)
    {
        soft = SoftTimeout ?? Timeout.InfiniteTimeSpan;
        return SoftTimeout != null && FlightTimeout.IsBelow(soft, limit);
    }

    /// <summary>Whether a caller may leave its factory behind, which so can't run on its thread.</summary>
    internal bool HasTimeouts => SoftTimeout != null || HardTimeout != null;

    [DoesNotReturn]
    private static void Refuse(string option, object? value, string range) =>
        throw new ArgumentOutOfRangeException(option, value, $"EntryOptions.{option} must be {range}.");
}
