using System;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Restarts;

/// <summary>
/// Fills a mapped pile in a second process, and opens it again: after it was closed, with the system's cache empty, after a kill.
/// </summary>
internal static class RestartLoad
{
    /// <summary>Runs the load from nothing to nothing.</summary>
    /// <exception cref="LoadException">The pile gave a wrong answer, or there is no room.</exception>
    internal static RestartReport Run(RestartOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory directory = WorkDirectory.Create(options.Directory);
        (FillFigures fill, double closeSeconds) = Fill(options, directory);
        stop.ThrowIfCancellationRequested();
        OpenFigures warm = Open(directory, fill, options.Count, readsAll: true);
        stop.ThrowIfCancellationRequested();
        OpenFigures? cold = PageCache.TryDrop() ? Open(directory, fill, options.Count, readsAll: true) : null;
        stop.ThrowIfCancellationRequested();
        Kill(options, directory);
        OpenFigures killed = Open(directory, fill, null, readsAll: true);
        return new RestartReport
        {
            Count = options.Count,
            ReservedBytes = fill.ReservedBytes,
            FillSeconds = Math.Round(fill.FillSeconds, 3),
            FlushSeconds = Math.Round(fill.FlushSeconds, 3),
            ScatteredReplaces = RestartOptions.ScatteredReplaces,
            ScatteredFlushMs = Math.Round(fill.ScatteredFlushMs, 2),
            ScatteredFlushBytes = fill.ScatteredFlushBytes,
            CloseSeconds = Math.Round(closeSeconds, 3),
            AfterClose = warm,
            AfterCloseCold = cold,
            AfterKill = killed,
        };
    }

    private static (FillFigures Fill, double CloseSeconds) Fill(RestartOptions options, WorkDirectory directory)
    {
        using WorkerProcess worker = Start(RestartWorker.Fill, options, directory);
        FillFigures fill = JsonSerializer.Deserialize(worker.ReadLine(), JsonReport.Default.FillFigures)!;
        worker.Tell("close");
        return (fill, double.Parse(worker.ReadLine(), CultureInfo.InvariantCulture));
    }

    private static WorkerProcess Start(string role, RestartOptions options, WorkDirectory directory) => WorkerProcess.Start(
        role, directory.PilePath, ["--mebibytes", options.Mebibytes.ToString(CultureInfo.InvariantCulture)]);

    private static void Kill(RestartOptions options, WorkDirectory directory)
    {
        using WorkerProcess worker = Start(RestartWorker.Churn, options, directory);
        _ = worker.ReadLine();
        worker.Kill();
    }

    private static OpenFigures Open(WorkDirectory directory, FillFigures fill, long? expectedCount, bool readsAll)
    {
        PilePointer middle = PilePointer.FromUInt64(fill.MiddlePointer);
        long start = Stopwatch.GetTimestamp();
        using Pile pile = Pile.Open(directory.PilePath);
        double openMs = MillisecondsSince(start);
        bool isWhole = NumberedPayload.IsWhole(pile.GetBytes(middle), RestartOptions.PayloadBytes);
        double firstGetMs = MillisecondsSince(start);
        PilePointer added = pile.Put("first");
        double firstPutMs = MillisecondsSince(start);
        pile.Recovery.Completion.Wait();
        double recoverySeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        pile.Delete(added);
        PileStatistics statistics = pile.Statistics;
        if (!isWhole || pile.Recovery.FaultCount != 0 || (expectedCount is { } expected && statistics.ObjectCount != expected))
        {
            throw new LoadException(
                $"The pile came back wrong: {statistics.ObjectCount} objects, {pile.Recovery.FaultCount} faults. The pile is at fault.");
        }
        return new OpenFigures
        {
            OpenMs = openMs,
            FirstGetMs = firstGetMs,
            FirstPutMs = firstPutMs,
            RecoverySeconds = Math.Round(recoverySeconds, 3),
            RecoveryGigabytesPerSecond = Math.Round(pile.Recovery.TotalBytes / recoverySeconds / 1e9, 2),
            FaultCount = pile.Recovery.FaultCount,
            ObjectCount = statistics.ObjectsSoFar,
            ReadBackSeconds = readsAll ? ReadBack(pile) : null,
        };
    }

    private static double ReadBack(Pile pile)
    {
        long start = Stopwatch.GetTimestamp();
        Span<byte> payload = stackalloc byte[RestartOptions.PayloadBytes];
        foreach (PileEntry entry in pile)
        {
            _ = pile.TryRead(entry.Pointer, payload, out int lengthBytes);
            if (lengthBytes != payload.Length || !NumberedPayload.IsWhole(payload, RestartOptions.PayloadBytes))
                throw new LoadException($"The object of {entry.Pointer} came back as another one than was put. The pile is at fault.");
        }
        return Math.Round(Stopwatch.GetElapsedTime(start).TotalSeconds, 3);
    }

    private static double MillisecondsSince(long start) => Math.Round(Stopwatch.GetElapsedTime(start).TotalMilliseconds, 2);
}
