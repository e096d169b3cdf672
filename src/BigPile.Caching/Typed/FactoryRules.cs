using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>What a call says about its factory: how long it may take, when it is tried again, and when it runs ahead.</summary>
internal readonly struct FactoryRules
{
    private readonly long _beganAt; // a time stamp; where there is a hard time limit

    internal FactoryRules(TableOptions defaults, EntryOptions? options, TimeProvider time)
    {
        SoftTimeout = options?.FactorySoftTimeout ?? defaults.FactorySoftTimeout;
        HardTimeout = options?.FactoryHardTimeout ?? defaults.FactoryHardTimeout;
        Throttle = options?.FailSafeThrottle ?? defaults.FailSafeThrottle;
        EagerRefresh = options?.EagerRefresh ?? defaults.EagerRefresh;
        if (HardTimeout != null)
            _beganAt = time.GetTimestamp();
        if (options == null) // those of the table were validated
            return;
        if (!FactoryTimeouts.IsValid(SoftTimeout))
            Refuse(nameof(EntryOptions.FactorySoftTimeout), SoftTimeout, FactoryTimeouts.Range);
        if (!FactoryTimeouts.IsValid(HardTimeout))
            Refuse(nameof(EntryOptions.FactoryHardTimeout), HardTimeout, FactoryTimeouts.Range);
        if (!FactoryTimeouts.IsThrottle(Throttle))
            Refuse(nameof(EntryOptions.FailSafeThrottle), Throttle, FactoryTimeouts.ThrottleRange);
        if (EagerRefresh is not (null or (> 0 and < 1)))
            Refuse(nameof(EntryOptions.EagerRefresh), EagerRefresh, "above 0 and below 1");
    }

    internal TimeSpan? SoftTimeout { get; }

    internal TimeSpan? HardTimeout { get; }

    internal TimeSpan Throttle { get; }

    internal double? EagerRefresh { get; }

    /// <summary>What is left of the hard time limit of the call, or none.</summary>
    internal TimeSpan HardLeft(TimeProvider time)
    {
        if (HardTimeout is not { } hard)
            return Timeout.InfiniteTimeSpan;
        TimeSpan left = hard - time.GetElapsedTime(_beganAt);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

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
