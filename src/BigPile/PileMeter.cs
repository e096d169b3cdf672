using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;

namespace BigPile;

/// <summary>The meter <c>BigPile</c>: what every open pile of the process states of itself, when somebody listens.</summary>
/// <remarks>
/// Nothing is counted for it: a listener's look takes the statistics that a pile has anyway. A pile is known by its name
/// (<see cref="PileOptions.Name"/>) as the tag <c>bigpile.pile.name</c>. Thread safety: all members may be called concurrently.
/// </remarks>
internal static class PileMeter
{
    private const string NameTag = "bigpile.pile.name";
    private const string KindTag = "bigpile.memory.kind";

    private static readonly Meter Meter = new("BigPile");
    private static readonly Lock Registering = new();
    private static readonly List<WeakReference<IMeteredPile>> Piles = [];
    private static readonly Histogram<double> FlushDuration =
        Meter.CreateHistogram<double>("bigpile.flush.duration", "s", "How long flushes of mapped piles took.");
    private static readonly Histogram<double> RecoveryDuration =
        Meter.CreateHistogram<double>("bigpile.recovery.duration", "s", "From the opening of a mapped pile until all of it was examined.");

    static PileMeter()
    {
        Observe("bigpile.memory.reserved", "By", "Bytes of all segments.", static pile => pile.ReservedBytes);
        Observe("bigpile.memory.committed", "By", "Bytes of pages in use.", static pile => pile.CommittedBytes);
        Observe("bigpile.memory.overhead", "By", "Bytes of process memory beside the segments.", static pile => pile.RecordBytes);
        Observe("bigpile.memory.limit", "By", "The most bytes that the segments may take.", static pile => pile.LimitBytes);
        Observe("bigpile.segment.count", "{segment}", "Segments.", static pile => pile.SegmentCount);
        Meter.CreateObservableUpDownCounter(
            "bigpile.object.count", ObserveObjects, "{object}", "Objects that are live; not told before all pages were examined.");
        Meter.CreateObservableUpDownCounter("bigpile.memory.used", ObserveUsed, "By", "Bytes of pages in use by what they are used for.");
        Meter.CreateObservableCounter("bigpile.background.failures", ObserveFailures, "{failure}", "Failures of work in the background.");
        Meter.CreateObservableUpDownCounter("bigpile.lease.active", ObserveLeases, "{lease}", "Payloads that are leased.");
    }

    /// <summary>Makes a pile known to listeners. It need not be taken away: one that is closed or forgotten is left out.</summary>
    internal static void Add(IMeteredPile pile)
    {
        lock (Registering)
        {
            Piles.RemoveAll(static reference => !reference.TryGetTarget(out IMeteredPile? target) || target.IsDisposed);
            Piles.Add(new WeakReference<IMeteredPile>(pile));
        }
    }

    internal static void NoteFlush(string name, TimeSpan duration) =>
        FlushDuration.Record(duration.TotalSeconds, new KeyValuePair<string, object?>(NameTag, name));

    internal static void NoteRecovery(string name, TimeSpan duration) =>
        RecoveryDuration.Record(duration.TotalSeconds, new KeyValuePair<string, object?>(NameTag, name));

    private static void Observe(string name, string unit, string description, Func<PileStatistics, long> get) =>
        Meter.CreateObservableUpDownCounter(name, () => Each((pile, statistics) => [Of(pile, get(statistics))]), unit, description);

    private static List<Measurement<long>> ObserveUsed() => Each(static (pile, statistics) =>
    [
        Of(pile, statistics.PayloadBytes, "payload"),
        Of(pile, statistics.HeaderBytes, "headers"),
        Of(pile, statistics.SlackBytes, "slack"),
        Of(pile, statistics.FreeBytes, "free"),
        Of(pile, statistics.UnexaminedBytes, "unexamined"),
    ]);

    private static List<Measurement<long>> ObserveObjects() =>
        Each(static (pile, statistics) => statistics.ObjectCount is { } count ? [Of(pile, count)] : []);

    private static List<Measurement<long>> ObserveLeases() => Each(static (pile, _) => [Of(pile, pile.LeaseCount)]);

    private static List<Measurement<long>> ObserveFailures() =>
        Each(static (pile, statistics) => [Of(pile, statistics.BackgroundFailureCount)]);

    private static Measurement<long> Of(IMeteredPile pile, long value) => new(value, new KeyValuePair<string, object?>(NameTag, pile.Name));

    private static Measurement<long> Of(IMeteredPile pile, long value, string kind) =>
        new(value, new KeyValuePair<string, object?>(NameTag, pile.Name), new KeyValuePair<string, object?>(KindTag, kind));

    private static List<Measurement<long>> Each(Func<IMeteredPile, PileStatistics, Measurement<long>[]> measure)
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
                // closed meanwhile
            }
        }
        return all;
    }

    private static List<IMeteredPile> Snapshot()
    {
        lock (Registering)
        {
            var piles = new List<IMeteredPile>();
            foreach (WeakReference<IMeteredPile> reference in Piles)
            {
                if (reference.TryGetTarget(out IMeteredPile? pile) && !pile.IsDisposed)
                    piles.Add(pile);
            }
            return piles;
        }
    }
}
