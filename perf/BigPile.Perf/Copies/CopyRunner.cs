using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace BigPile.Perf.Copies;

/// <summary>
/// Measures all ways to copy in all cases, and all ways to allocate, in turns, so that disturbances of the machine affect all alike.
/// </summary>
internal static class CopyRunner
{
    private static readonly int RehearsalRounds = Brevity.Of(usual: 60, brief: 1);

    // The runtime optimizes methods that were called often, some tenths of a second later.
    private static readonly TimeSpan LeastRehearsal = TimeSpan.FromMilliseconds(600);

    /// <summary>Runs the load.</summary>
    internal static CopyReport Run(CopyOptions options, ILoadProgress progress, CancellationToken stop)
    {
        if (OperatingSystem.IsWindows())
            throw new LoadException("copy measures beside the memcpy of Unix's C library. Run it on Linux or macOS.");
        stop.ThrowIfCancellationRequested();
        using var buffers = new CopyBuffers(options.PoolBytes);
        var figures = new CopyFigures(CopyMeter.All, CopyPlace.All);
        var memories = ImageMemory.Kinds.ToDictionary(static kind => kind.Name, static _ => new List<ImageMemory.Times>());
        Rehearse(buffers, options, stop);
        progress.Begin("copy", options.Repetitions);
        for (int repetition = 0; repetition < options.Repetitions; repetition++)
        {
            Measure(buffers, options, figures, stop);
            foreach ((string name, Func<ImageMemory.Times> measure) in ImageMemory.Kinds)
                memories[name].Add(measure());
            progress.Report(repetition + 1);
        }
        return Report(options, figures, memories);
    }

    private static void Rehearse(CopyBuffers buffers, CopyOptions options, CancellationToken stop)
    {
        foreach (CopyMeter meter in CopyMeter.All)
        {
            meter.Check(buffers);
            long start = Stopwatch.GetTimestamp();
            TimeSpan least = options.Repetitions == 1 ? TimeSpan.Zero : LeastRehearsal / CopyMeter.All.Length;
            for (int i = 0; i < RehearsalRounds || Stopwatch.GetElapsedTime(start) < least; i++)
                meter.Measure(buffers, CopyPlace.All[0], TimeSpan.Zero);
            stop.ThrowIfCancellationRequested();
        }
        Measure(buffers, options, new CopyFigures(CopyMeter.All, CopyPlace.All), stop);
    }

    private static void Measure(CopyBuffers buffers, CopyOptions options, CopyFigures figures, CancellationToken stop)
    {
        foreach (CopyPlace place in CopyPlace.All)
        {
            foreach (CopyMeter meter in CopyMeter.All)
            {
                stop.ThrowIfCancellationRequested();
                figures.Add(meter, place, meter.Measure(buffers, place, options.Least));
            }
        }
    }

    private static CopyReport Report(CopyOptions options, CopyFigures figures, Dictionary<string, List<ImageMemory.Times>> memories)
    {
        IReadOnlyList<CopyRow> rows = figures.Rows();
        CopyRow pointer = figures.RowOf(rows, PointerWay.Name);
        CopyRow accessor = figures.RowOf(rows, AccessorWay.Name);
        return new CopyReport
        {
            Repetitions = options.Repetitions,
            PointerOfLimit = pointer.OfLimit,
            PointerTimesAccessor = Figure.Rounded(accessor.NsPerCopy.Median / pointer.NsPerCopy.Median, 1),
            Copies = rows,
            Memories = [.. memories.Select(static memory => RowOf(memory.Key, memory.Value))],
        };
    }

    private static ImageMemoryRow RowOf(string name, List<ImageMemory.Times> times) => new()
    {
        Memory = name,
        AllocateUs = Spread.Of(times.Select(static one => one.AllocateUs), digits: 1),
        FirstWriteUs = Spread.Of(times.Select(static one => one.FirstWriteUs), digits: 1),
        FreeUs = Spread.Of(times.Select(static one => one.FreeUs), digits: 1),
    };
}

/// <summary>The nanoseconds of a copy, by way and place.</summary>
internal sealed class CopyFigures(CopyMeter[] meters, CopyPlace[] places)
{
    private readonly Dictionary<(CopyMeter Meter, CopyPlace Place), List<double>> _ns = [];

    internal void Add(CopyMeter meter, CopyPlace place, double nsPerCopy)
    {
        if (!_ns.TryGetValue((meter, place), out List<double>? all))
            _ns[(meter, place)] = all = [];
        all.Add(nsPerCopy);
    }

    /// <summary>All rows, way by way.</summary>
    internal IReadOnlyList<CopyRow> Rows() => [.. meters.SelectMany(meter => places.Select(place => RowOf(meter, place)))];

    /// <summary>The row of a way at the first place, 8 KB in cache.</summary>
    internal CopyRow RowOf(IReadOnlyList<CopyRow> rows, string way) => rows.First(row => row.Way == way && row.Place == places[0].Name);

    private CopyRow RowOf(CopyMeter meter, CopyPlace place)
    {
        Spread ns = Spread.Of(_ns[(meter, place)], digits: 2);
        Spread limit = Spread.Of(_ns[(meters[^1], place)], digits: 2);
        return new CopyRow
        {
            Way = meter.Name,
            Place = place.Name,
            SizeBytes = place.SizeBytes,
            NsPerCopy = ns,
            GigabytesPerSecond = Figure.Rounded(place.SizeBytes / ns.Median, 2),
            OfLimit = Figure.Rounded(limit.Median / ns.Median, 3),
        };
    }
}
