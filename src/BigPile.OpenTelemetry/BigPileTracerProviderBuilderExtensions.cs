using System;
using BigPile;

namespace OpenTelemetry.Trace;

/// <summary>Has OpenTelemetry collect BigPile's traces.</summary>
public static class BigPileTracerProviderBuilderExtensions
{
    /// <summary>
    /// Collects the activities of factories, second levels, openings, recoveries and flushes. A single read or put is none.
    /// </summary>
    /// <param name="builder">Builds the provider.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static TracerProviderBuilder AddBigPileInstrumentation(this TracerProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddSource(PileTelemetry.ActivitySourceName);
    }
}
