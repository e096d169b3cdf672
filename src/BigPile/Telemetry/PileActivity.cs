using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Telemetry;

/// <summary>The activities of piles and of what is made of them, which traces consist of.</summary>
/// <remarks>
/// Without a listener none is made. A listener is the application's code: activities begin and end inside of no pile, and with no lock
/// held. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class PileActivity
{
    private static readonly ActivitySource Source = new(PileTelemetry.ActivitySourceName);

    /// <summary>Whether somebody may want an activity.</summary>
    internal static bool HasListeners => Source.HasListeners();

    /// <summary>Begins an activity as a child of the current one, if somebody wants it.</summary>
    internal static Activity? Start(string name, string tag, string value, ActivityKind kind = ActivityKind.Internal) =>
        Source.HasListeners() ? Source.StartActivity(kind, default, [new(tag, value)], null, default, name) : null;

    /// <summary>Makes the activity of what is over by now, if somebody wants it.</summary>
    internal static void Record(string name, string tag, string value, in PastActivity past, Exception? failure = null)
    {
        if (!past.HasBegun)
            return;
        using Activity? activity = Source.StartActivity(ActivityKind.Internal, past.Parent, [new(tag, value)], null, past.BeganAt, name);
        activity.Fail(failure);
    }

    /// <summary>Makes, when a task ends, the activity of what is over with it, if somebody wants it.</summary>
    internal static void RecordAfter(Task end, string name, string tag, string value, PastActivity past)
    {
        if (end.IsCompleted || !past.HasBegun)
            Record(name, tag, value, past, end.Exception?.InnerException);
        else
            _ = end.ContinueWith(
                end => Record(name, tag, value, past, end.Exception?.InnerException), CancellationToken.None, TaskContinuationOptions.None,
                TaskScheduler.Default);
    }

    /// <summary>Runs what an activity is about; what it throws is the activity's failure.</summary>
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

    /// <summary>States that what an activity is about has failed.</summary>
    internal static void Fail(this Activity? activity, Exception? failure)
    {
        if (failure == null)
            return;
        _ = activity?.SetTag(PileTelemetry.ErrorTag, failure.GetType().FullName);
        _ = activity?.SetStatus(ActivityStatusCode.Error, failure.Message);
    }
}
