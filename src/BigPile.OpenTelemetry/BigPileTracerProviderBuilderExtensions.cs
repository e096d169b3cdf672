using System;
using BigPile;

namespace OpenTelemetry.Trace;

/// <summary>Adds BigPile's traces to OpenTelemetry.</summary>
public static class BigPileTracerProviderBuilderExtensions
{
    /// <summary>
    /// Collects the activities of factories, second levels, openings, recoveries and flushes. Single reads and puts have no activity.
    /// </summary>
    /// <param name="builder">The provider's builder.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static TracerProviderBuilder AddBigPileInstrumentation(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(PileTelemetry.ActivitySourceName);
    }
}
