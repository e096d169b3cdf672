using System;
using BigPile;

namespace OpenTelemetry.Metrics;

/// <summary>Adds BigPile's metrics to OpenTelemetry.</summary>
public static class BigPileMeterProviderBuilderExtensions
{
    /// <summary>Collects the metrics of piles, tables and the HTTP service.</summary>
    /// <param name="builder">The provider's builder.</param>
    /// <returns><paramref name="builder"/>.</returns>
    public static MeterProviderBuilder AddBigPileInstrumentation(this MeterProviderBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.AddMeter(PileTelemetry.MeterName, PileTelemetry.ServerMeterName);
    }
}
