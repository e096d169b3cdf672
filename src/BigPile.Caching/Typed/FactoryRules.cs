using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Typed;

/// <summary>What a call says about its factory: how long it may take, and when it is tried again.</summary>
internal readonly struct FactoryRules
{
    private readonly long _beganAt; // a time stamp; where there is a hard time limit

    internal FactoryRules(TableOptions defaults, EntryOptions? options, TimeProvider time)
    {
        SoftTimeout = options?.FactorySoftTimeout ?? defaults.FactorySoftTimeout;
        HardTimeout = options?.FactoryHardTimeout ?? defaults.FactoryHardTimeout;
        Throttle = options?.FailSafeThrottle ?? defaults.FailSafeThrottle;
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
        if (options.EagerRefresh is { } share && !IsShare(share))
            Refuse(nameof(EntryOptions.EagerRefresh), share, "above 0 and below 1");
    }

    /// <summary>Whether <see cref="EntryOptions.EagerRefresh"/> may be this.</summary>
    internal static bool IsShare(double share) => share is > 0 and < 1;

    internal TimeSpan? SoftTimeout { get; }

    internal TimeSpan? HardTimeout { get; }

    internal TimeSpan Throttle { get; }

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
