using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;

namespace BigPile.Tests;

public sealed class PileMeterTests : IDisposable
{
    private readonly List<(string Name, long Value, string? Kind)> _seen = [];
    private readonly List<(string Name, double Value)> _durations = [];
    private readonly MeterListener _listener = new();
    private readonly string _pileName = $"pile-{Guid.NewGuid():n}"; // other tests have piles too

    public PileMeterTests()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "BigPile")
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>(OnMeasured);
        _listener.SetMeasurementEventCallback<double>(OnDurationMeasured);
        _listener.Start();
    }

    public void Dispose() => _listener.Dispose();

    [Fact]
    public void Instruments_say_what_the_statistics_say()
    {
        using var pile = new Pile(new PileOptions { Name = _pileName, MaxBytes = 1L << 30 });
        for (int i = 0; i < 1_000; i++)
            pile.Put(new byte[i]);
        using PileLease lease = pile.Lease(pile.Put("leased"));
        Assert.Throws<PileFullException>(() => pile.Allocate(1 << 30));
        PileStatistics statistics = pile.Statistics;
        Assert.False(pile.Engine.Background.TryRun("a test", static () => throw new InvalidOperationException()));
        _listener.RecordObservableInstruments();
        Assert.Equal(1, ValueOf("bigpile.background.failures"));
        Assert.Equal(1, ValueOf("bigpile.put.refused"));
        Assert.Equal(statistics.ReservedBytes, ValueOf("bigpile.memory.reserved"));
        Assert.Equal(statistics.CommittedBytes, ValueOf("bigpile.memory.committed"));
        Assert.Equal(statistics.RecordBytes, ValueOf("bigpile.memory.overhead"));
        Assert.Equal(1L << 30, ValueOf("bigpile.memory.limit"));
        Assert.Equal(1, ValueOf("bigpile.segment.count"));
        Assert.Equal(1_001, ValueOf("bigpile.object.count"));
        Assert.Equal(1, ValueOf("bigpile.lease.active"));
        Assert.Equal(statistics.PayloadBytes, ValueOf("bigpile.memory.used", "payload"));
        Assert.Equal(
            statistics.CommittedBytes, _seen.Where(static seen => seen.Name == "bigpile.memory.used").Sum(static seen => seen.Value));
    }

    [Fact]
    public void A_closed_pile_is_not_measured_any_more()
    {
        new Pile(new PileOptions { Name = _pileName }).Dispose();
        _listener.RecordObservableInstruments();
        Assert.Empty(_seen);
    }

    [Fact]
    public void Flushes_and_recoveries_are_timed()
    {
        using var temporary = new TemporaryDirectory();
        var options = new PileOptions { Name = _pileName, SegmentBytes = 4 << 20 };
        using (Pile pile = Pile.Open(temporary.Path, options))
        {
            pile.Put("x");
            pile.Flush();
        }
        using Pile again = Pile.Open(temporary.Path, options);
        again.Recovery.Completion.Wait();
        Assert.Contains(_durations, static seen => seen is { Name: "bigpile.flush.duration", Value: > 0 });
        Assert.Contains(_durations, static seen => seen is { Name: "bigpile.recovery.duration", Value: > 0 });
    }

    private long ValueOf(string name, string? kind = null) => Assert.Single(_seen, seen => seen.Name == name && seen.Kind == kind).Value;

    private void OnMeasured(Instrument instrument, long value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (IsMine(tags, out string? kind))
            _seen.Add((instrument.Name, value, kind));
    }

    private void OnDurationMeasured(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        if (IsMine(tags, out _))
            _durations.Add((instrument.Name, value));
    }

    private bool IsMine(ReadOnlySpan<KeyValuePair<string, object?>> tags, out string? kind)
    {
        kind = null;
        bool isMine = false;
        foreach ((string key, object? value) in tags)
        {
            isMine |= key == "bigpile.pile.name" && (string?)value == _pileName;
            if (key == "bigpile.memory.kind")
                kind = (string?)value;
        }
        return isMine;
    }
}
