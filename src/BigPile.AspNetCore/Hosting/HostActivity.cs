using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace BigPile.AspNetCore.Hosting;

/// <summary>The activities (trace spans) of an application's pile, in the source of all piles.</summary>
/// <remarks>Without a listener none is created. Thread safety: all members may be called concurrently.</remarks>
internal static class HostActivity
{
    private static readonly ActivitySource Source = new(PileTelemetry.ActivitySourceName);

    /// <summary>Starts an activity as a child of the current one; null if no listener wants it.</summary>
    internal static Activity? Start(string name, string tag, string value, ActivityKind kind = ActivityKind.Internal) =>
        Source.HasListeners()
            ? Source.StartActivity(kind, default, [new KeyValuePair<string, object?>(tag, value)], null, default, name)
            : null;

    internal static void Fail(this Activity? activity, Exception failure)
    {
        _ = activity?.SetTag(PileTelemetry.ErrorTag, failure.GetType().FullName);
        _ = activity?.SetStatus(ActivityStatusCode.Error, failure.Message);
    }
}
