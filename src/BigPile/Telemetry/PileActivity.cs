using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Telemetry;

/// <summary>The activities (trace spans) of piles and of what builds on them.</summary>
/// <remarks>
/// Without a listener none is created. A listener is application code, so activities begin and end outside every critical region and with
/// no lock held. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class PileActivity
{
    private static readonly ActivitySource Source = new(PileTelemetry.ActivitySourceName);

    /// <summary>Whether there is a listener.</summary>
    internal static bool HasListeners => Source.HasListeners();

    /// <summary>Starts an activity as a child of the current one; null if no listener wants it.</summary>
    internal static Activity? Start(string name, string tag, string value, ActivityKind kind = ActivityKind.Internal) =>
        Source.HasListeners() ? Source.StartActivity(kind, default, [new(tag, value)], null, default, name) : null;

    /// <summary>Creates the activity of something that has ended, if a listener wants it.</summary>
    internal static void Record(string name, string tag, string value, in PastActivity past, Exception? failure = null)
    {
        if (!past.HasBegun)
            return;
        using Activity? activity = Source.StartActivity(ActivityKind.Internal, past.Parent, [new(tag, value)], null, past.BeganAt, name);
        activity.Fail(failure);
    }

    /// <summary>Creates the activity of something that ends with a task, if a listener wants it.</summary>
    internal static void RecordAfter(Task end, string name, string tag, string value, PastActivity past)
    {
        if (end.IsCompleted || !past.HasBegun)
            Record(name, tag, value, past, end.Exception?.InnerException);
        else
            _ = end.ContinueWith(
                end => Record(name, tag, value, past, end.Exception?.InnerException), CancellationToken.None, TaskContinuationOptions.None,
                TaskScheduler.Default);
    }

    /// <summary>Runs the work of an activity, and marks the activity as failed if it throws.</summary>
    internal static T Watch<T>(this Activity? activity, Func<T> work)
    {
        try
        {
            return work();
        }
        catch (Exception e)
        {
            activity.Fail(e);
            throw;
        }
    }

    internal static void Fail(this Activity? activity, Exception? failure)
    {
        if (failure == null)
            return;
        _ = activity?.SetTag(PileTelemetry.ErrorTag, failure.GetType().FullName);
        _ = activity?.SetStatus(ActivityStatusCode.Error, failure.Message);
    }
}

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
