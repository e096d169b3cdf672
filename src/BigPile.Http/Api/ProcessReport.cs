using System;
using System.Diagnostics;

namespace BigPile.Http.Api;

/// <summary>The state of the process.</summary>
/// <param name="Id">The process id.</param>
/// <param name="UptimeSeconds">Seconds since its start.</param>
/// <param name="ProcessorSeconds">Processor time used, in seconds.</param>
/// <param name="WorkingSetBytes">Resident bytes, mapped files included.</param>
/// <param name="ManagedBytes">Bytes of the managed heap.</param>
/// <param name="AllocatedBytes">Bytes allocated on it since the start.</param>
/// <param name="CollectionPauseSeconds">Total pause time of the garbage collector, in seconds.</param>
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
