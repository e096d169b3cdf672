using System;
using System.Diagnostics;

namespace BigPile.Telemetry;

/// <summary>
/// The start time and the parent of an activity that is created once it has ended, because it runs under a lock or on other threads.
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

    /// <summary>Whether there was a listener at the start.</summary>
    internal bool HasBegun => BeganAt != default;

    /// <summary>Takes the start time and the parent; without a listener, nothing.</summary>
    internal static PastActivity Begin() =>
        PileActivity.HasListeners ? new PastActivity(TimeProvider.System.GetUtcNow(), Activity.Current?.Context ?? default) : default;
}
