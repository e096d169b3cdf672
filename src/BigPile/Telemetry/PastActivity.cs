using System;
using System.Diagnostics;

namespace BigPile.Telemetry;

/// <summary>
/// When something began, and within what: for an activity that is made when it is over, because it runs under a lock or on other threads.
/// </summary>
internal readonly struct PastActivity
{
    private PastActivity(DateTimeOffset beganAt, ActivityContext parent)
    {
        BeganAt = beganAt;
        Parent = parent;
    }

    internal DateTimeOffset BeganAt { get; }

    internal ActivityContext Parent { get; }

    /// <summary>Whether there was a listener when it began.</summary>
    internal bool HasBegun => BeganAt != default;

    /// <summary>Notes that something begins; nothing without a listener.</summary>
    internal static PastActivity Begin() =>
        PileActivity.HasListeners ? new PastActivity(TimeProvider.System.GetUtcNow(), Activity.Current?.Context ?? default) : default;
}
