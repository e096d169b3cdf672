using System;
using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;

namespace BigPile.Perf.Reports;

/// <summary>What the figures depend on beside the options.</summary>
internal static class Machine
{
    /// <summary>How the garbage collector works.</summary>
    internal static string Collector => (GCSettings.IsServerGC ? "server" : "workstation")
        + (GCSettings.LatencyMode == GCLatencyMode.Batch ? " blocking" : " concurrent");

    internal static string Describe()
    {
        int cores = Environment.ProcessorCount;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Counted.Of(cores, "core")}, {Collector} GC, {RuntimeInformation.FrameworkDescription}");
    }
}
