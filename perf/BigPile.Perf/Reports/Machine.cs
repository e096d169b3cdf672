using System;
using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;

namespace BigPile.Perf.Reports;

/// <summary>What the figures depend on beside the options.</summary>
internal static class Machine
{
    internal static string Describe()
    {
        int cores = Environment.ProcessorCount;
        string collector = GCSettings.IsServerGC ? "server" : "workstation";
        string mode = GCSettings.LatencyMode == GCLatencyMode.Batch ? "blocking" : "concurrent";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Counted.Of(cores, "core")}, {collector} {mode} GC, {RuntimeInformation.FrameworkDescription}");
    }
}
