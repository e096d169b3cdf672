using System;
using System.Diagnostics;

namespace BigPile.Http.Api;

/// <summary>The process.</summary>
/// <param name="Id">Its number.</param>
/// <param name="UptimeSeconds">Seconds since its start.</param>
/// <param name="ProcessorSeconds">Seconds of processor time that it used.</param>
/// <param name="WorkingSetBytes">Bytes of memory that it has resident, mapped files included.</param>
/// <param name="ManagedBytes">Bytes of the managed heap.</param>
/// <param name="AllocatedBytes">Bytes that it allocated there since its start.</param>
/// <param name="CollectionPauseSeconds">Seconds that the garbage collector stopped it for.</param>
/// <param name="FullCollections">Full garbage collections.</param>
internal sealed record ProcessReport(
    int Id, double UptimeSeconds, double ProcessorSeconds, long WorkingSetBytes, long ManagedBytes, long AllocatedBytes,
    double CollectionPauseSeconds, int FullCollections)
{
    internal static ProcessReport Now(TimeProvider time)
    {
        using var process = Process.GetCurrentProcess();
        return new ProcessReport(
            process.Id,
            Math.Round((time.GetUtcNow() - process.StartTime.ToUniversalTime()).TotalSeconds, 3),
            Math.Round(process.TotalProcessorTime.TotalSeconds, 3),
            process.WorkingSet64,
            GC.GetTotalMemory(forceFullCollection: false),
            GC.GetTotalAllocatedBytes(),
            Math.Round(GC.GetTotalPauseDuration().TotalSeconds, 4),
            GC.CollectionCount(GC.MaxGeneration));
    }
}
