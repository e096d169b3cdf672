using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Perf.Latencies;

/// <summary>Makes single calls at a fixed rate, one kind after the other.</summary>
/// <remarks>
/// Gets and replacements use random entries with even numbers, and leave the odd ones to the concurrent work. New entries follow in the
/// order of their numbers, and are removed in random order.
/// </remarks>
internal sealed class LatencyLoad : IDisposable
{
    private const int BatchEntries = 4096;
    private const int RehearsalRate = 1_000_000; // the highest rate that is kept: frequent calls are well optimized
    private const int RehearsalSegmentBytes = 16 << 20;
    private const long ScatteringFactor = 2_654_435_761; // a prime above any count, so that each number occurs once

    private static readonly int RehearsalRounds = Brevity.Of(usual: 10, brief: 1);

    private readonly LatencyOptions _options;
    private readonly int _calls;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;
    private readonly ICallTarget _target;
    private readonly byte[] _buffer;
    private int _end; // one past the last entry that is there

    private LatencyLoad(LatencyOptions options, PileOptions pileOptions, int calls, ILoadProgress progress, CancellationToken stop)
    {
        (_options, _calls, _progress, _stop) = (options, calls, progress, stop);
        _buffer = new byte[options.ValueBytes];
        _target = options.Holder == LatencyHolder.Table
            ? new TableTarget(pileOptions, options.Entries)
            : new PileTarget(pileOptions, options.Count + calls);
    }

    /// <summary>Runs the load from nothing to nothing.</summary>
    internal static IReadOnlyList<CallRow> Run(LatencyOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, options.Directory);
        MachineLimits.Require(
            $"--mebibytes {options.Mebibytes} with --rate {options.Rate} for --seconds {options.Seconds}", options.NeededBytes,
            directory == null ? MachineLimits.FreeMemoryBytes() : MachineLimits.FreeDiskBytes(directory.Path),
            directory == null ? "memory" : $"space in '{directory.Path}'", "Lower one of them.");
        Rehearse(options, stop);
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath, MaxBytes = MachineLimits.Checked };
        using var load = new LatencyLoad(options, pileOptions, options.CallCount, progress, stop);
        return load.MeasureAll();
    }

    public void Dispose() => _target.Dispose();

    // Everything that is measured, until nothing more is compiled for it.
    private static void Rehearse(LatencyOptions options, CancellationToken stop)
    {
        LatencyOptions small = options with { Mebibytes = 1, Rate = RehearsalRate };
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
        var pileOptions = new PileOptions
        {
            Store = options.Store, Directory = directory?.PilePath, SegmentBytes = RehearsalSegmentBytes,
        };
        using var load = new LatencyLoad(small, pileOptions, Math.Min(small.Count, BatchEntries), new NoProgress(), stop);
        var compilation = new CompilationWatch();
        for (int i = 0; i < RehearsalRounds || !(Brevity.IsWanted || compilation.IsOver); i++)
            load.MeasureAll();
    }

    private List<CallRow> MeasureAll()
    {
        Fill(_options.Count);
        var nothing = new MeasuredCall("nothing", static number => number, static _ => true);
        List<CallRow> rows = [Measure(nothing, _options with { FlushEverySeconds = 0, ReplaceRate = 0 })];
        if (_options.IsDisturbed)
            rows.Add(Measure(nothing, _options));
        foreach (CallKind kind in _options.Calls)
        {
            if (kind == CallKind.Remove)
                Fill(_options.Count + _calls);
            rows.Add(Measure(CallOf(kind), _options));
            if (kind is CallKind.Put or CallKind.Remove)
                _end = _options.Count + (kind == CallKind.Put ? rows[^1].Calls : 0);
        }
        return rows;
    }

    private void Fill(int end)
    {
        _progress.Begin("fill", end);
        for (; _end < end; _end++)
        {
            if (_end % BatchEntries == 0)
            {
                _stop.ThrowIfCancellationRequested();
                _progress.Report(_end);
            }
            _target.Put(_end, _buffer);
        }
    }

    private MeasuredCall CallOf(CallKind kind)
    {
        int count = _options.Count;
        var order = new RandomOrder(seed: (int)kind, count / 2);
        int Any(int call) => 2 * order.Next();
        return kind switch
        {
            CallKind.Get => new MeasuredCall("get", Any, number => _target.Get(number, _buffer)),
            CallKind.Put => new MeasuredCall("put", call => count + call, number => _target.Put(number, _buffer)),
            CallKind.Replace => new MeasuredCall("replace", Any, number => _target.Replace(number, _buffer)),
            _ => new MeasuredCall("remove", call => count + (int)(call * ScatteringFactor % _calls), _target.Remove),
        };
    }

    private CallRow Measure(MeasuredCall call, LatencyOptions options)
    {
        _progress.Begin(call.Name, _calls);
        if (_options.FlushEverySeconds > 0)
            _target.Pile.Flush(); // so that each kind flushes only its own changes
        var meter = new CallMeter();
        var disturbance = new Disturbance(options, _target);
        GC.Collect(); // collect the previous garbage first
        int collections = GC.CollectionCount(0);
        disturbance.During(() => meter.Run(call, _calls, options.Rate, _stop));
        return CallRow.Of(call.Name, options, meter, disturbance, GC.CollectionCount(0) - collections);
    }
}
