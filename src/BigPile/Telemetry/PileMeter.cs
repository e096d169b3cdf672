using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using System.Threading;
using static BigPile.PileTelemetry;

namespace BigPile.Telemetry;

/// <summary>
/// The meter <c>BigPile</c> of an application, or of the process: what every open pile reports to listeners.
/// </summary>
/// <remarks>
/// Nothing is counted for it: each observation takes the statistics that the pile has anyway. The tag <c>bigpile.pile.name</c> has the
/// pile's name (<see cref="PileOptions.Name"/>). Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileMeter
{
    private static readonly PileMeter OfProcess = new(new Meter(MeterName));
    private static readonly ConditionalWeakTable<IMeterFactory, PileMeter> OfFactories = new();

    private readonly Lock _registering = new();
    private readonly List<WeakReference<IMeteredPile>> _piles = [];
    private readonly Histogram<double> _flushDuration;
    private readonly Histogram<double> _recoveryDuration;

    private PileMeter(Meter meter)
    {
        Meter = meter;
        _flushDuration = meter.CreateHistogram(
            FlushDuration, "s", "How long flushes of mapped piles took.", advice: HistogramBuckets.Seconds);
        _recoveryDuration = meter.CreateHistogram(
            RecoveryDuration, "s", "From the opening of a mapped pile until all of it was recovered.", advice: HistogramBuckets.Seconds);
        Observe(ReservedMemory, "By", "Bytes of all segments.", static pile => pile.ReservedBytes);
        Observe(CommittedMemory, "By", "Bytes of pages in use.", static pile => pile.CommittedBytes);
        Observe(MemoryOverhead, "By", "Bytes of process memory beside the segments.", static pile => pile.RecordBytes);
        Observe(MemoryLimit, "By", "The most bytes that the segments may take.", static pile => pile.LimitBytes);
        Observe(
            WithheldMemory, "By", "Bytes that are not used for now, as the system is short of memory.", static pile => pile.WithheldBytes);
        Observe(SegmentCount, "{segment}", "Segments.", static pile => pile.SegmentCount);
        meter.CreateObservableUpDownCounter(
            ObjectCount, ObserveObjects, "{object}", "Live objects; not reported before all pages were recovered.");
        meter.CreateObservableUpDownCounter(UsedMemory, ObserveUsed, "By", "Bytes of pages in use by what they are used for.");
        meter.CreateObservableCounter(BackgroundFailures, ObserveFailures, "{failure}", "Failures of work in the background.");
        meter.CreateObservableCounter(RefusedPuts, ObserveRefusals, "{put}", "Puts that were refused as the pile was full.");
        meter.CreateObservableUpDownCounter(ActiveLeases, ObserveLeases, "{lease}", "Payloads that are leased.");
    }

    /// <summary>The meter, for the instruments of libraries above.</summary>
    internal Meter Meter { get; }

    /// <summary>The meter of an application; without a factory, of the process.</summary>
    internal static PileMeter Of(IMeterFactory? factory) => factory == null
        ? OfProcess
        : OfFactories.GetValue(factory, static factory => new PileMeter(factory.Create(MeterName)));

    /// <summary>Makes a pile observable. It is not removed explicitly: a closed or collected pile is skipped.</summary>
    internal void Add(IMeteredPile pile)
    {
        lock (_registering)
        {
            _piles.RemoveAll(static reference => !reference.TryGetTarget(out IMeteredPile? target) || target.IsDisposed);
            _piles.Add(new WeakReference<IMeteredPile>(pile));
        }
    }

    internal void RecordFlush(string name, TimeSpan duration) =>
        _flushDuration.Record(duration.TotalSeconds, new KeyValuePair<string, object?>(PileNameTag, name));

    internal void RecordRecovery(string name, TimeSpan duration) =>
        _recoveryDuration.Record(duration.TotalSeconds, new KeyValuePair<string, object?>(PileNameTag, name));

    private void Observe(string name, string unit, string description, Func<PileStatistics, long> get) =>
        Meter.CreateObservableUpDownCounter(name, () => Each((pile, statistics) => [Of(pile, get(statistics))]), unit, description);

    private List<Measurement<long>> ObserveUsed() => Each(static (pile, statistics) =>
    [
        Of(pile, statistics.PayloadBytes, "payload"),
        Of(pile, statistics.HeaderBytes, "headers"),
        Of(pile, statistics.SlackBytes, "slack"),
        Of(pile, statistics.FreeBytes, "free"),
        Of(pile, statistics.UnexaminedBytes, "unexamined"),
    ]);

    private List<Measurement<long>> ObserveObjects() =>
        Each(static (pile, statistics) => statistics.ObjectCount is { } count ? [Of(pile, count)] : []);

    private List<Measurement<long>> ObserveLeases() => Each(static (pile, _) => [Of(pile, pile.LeaseCount)]);

    private List<Measurement<long>> ObserveFailures() =>
        Each(static (pile, statistics) => [Of(pile, statistics.BackgroundFailureCount)]);

    private List<Measurement<long>> ObserveRefusals() => Each(static (pile, statistics) => [Of(pile, statistics.RefusedPutCount)]);

    private static Measurement<long> Of(IMeteredPile pile, long value) =>
        new(value, new KeyValuePair<string, object?>(PileNameTag, pile.Name));

    private static Measurement<long> Of(IMeteredPile pile, long value, string kind) =>
        new(value, new KeyValuePair<string, object?>(PileNameTag, pile.Name), new KeyValuePair<string, object?>(MemoryKindTag, kind));

    private List<Measurement<long>> Each(Func<IMeteredPile, PileStatistics, Measurement<long>[]> measure)
    {
        var all = new List<Measurement<long>>();
        foreach (IMeteredPile pile in Snapshot())
        {
            try
            {
                all.AddRange(measure(pile, pile.Statistics));
            }
            catch (ObjectDisposedException)
            {
                // closed concurrently
            }
        }
        return all;
    }

    private List<IMeteredPile> Snapshot()
    {
        lock (_registering)
        {
            var piles = new List<IMeteredPile>();
            foreach (WeakReference<IMeteredPile> reference in _piles)
            {
                if (reference.TryGetTarget(out IMeteredPile? pile) && !pile.IsDisposed)
                    piles.Add(pile);
            }
            return piles;
        }
    }
}

/// <summary>The advised bucket boundaries of histograms.</summary>
internal static class HistogramBuckets
{
    /// <summary>For durations: a read from memory takes microseconds, and a load from elsewhere seconds.</summary>
    internal static InstrumentAdvice<double> Seconds { get; } = new()
    {
        HistogramBucketBoundaries = [0.000_01, 0.000_1, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
    };

    /// <summary>For sizes.</summary>
    internal static InstrumentAdvice<long> Bytes { get; } = new()
    {
        HistogramBucketBoundaries =
        [
            64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864, 268_435_456, 1_073_741_824,
        ],
    };
}

/// <summary>What the meter needs of a pile.</summary>
internal interface IMeteredPile
{
    string Name { get; }

    bool IsDisposed { get; }

    PileStatistics Statistics { get; }

    int LeaseCount { get; }
}
