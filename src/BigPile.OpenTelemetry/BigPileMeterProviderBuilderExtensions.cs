using System;
using BigPile;

namespace OpenTelemetry.Metrics;

/// <summary>Has OpenTelemetry collect BigPile's metrics.</summary>
public static class BigPileMeterProviderBuilderExtensions
{
    /// <summary>Collects the metrics of piles and tables, and of what serves them over HTTP.</summary>
    /// <param name="builder">Builds the provider.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static MeterProviderBuilder AddBigPileInstrumentation(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(PileTelemetry.MeterName, PileTelemetry.ServerMeterName);
    }
}
