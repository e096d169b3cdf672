using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Tests.Runs;

/// <summary>A run of figures that nobody measured, in the form and about the size of a real one.</summary>
internal sealed class InventedRun
{
    private const double Gibibyte = 1 << 30;

    private static readonly double[] Objects = [1e6, 2e6, 5e6, 10e6, 20e6, 50e6];
    private static readonly double[] Threads = [1, 2, 4];
    private static readonly double[] Sizes = [0.0625 * Gibibyte, 0.25 * Gibibyte, Gibibyte, 4 * Gibibyte, 16 * Gibibyte];

    private readonly Random _random;
    private readonly int _repeats;
    private readonly double _noise;
    private readonly double _drift;

    private InventedRun(int seed, int repeats, double noise, double drift)
    {
        (_random, _repeats, _noise) = (new Random(seed), repeats, noise);
        _drift = Math.Exp(drift * Normal());
    }

    /// <summary>A change to the figures of a series before noise: by chart, series and x, what they are multiplied by.</summary>
    internal Func<string, string, double, double> Change { get; init; } = static (_, _, _) => 1;

    /// <summary>Makes one.</summary>
    /// <param name="seed">Of the noise.</param>
    /// <param name="repeats">At each point.</param>
    /// <param name="noise">The standard deviation of a repeat's logarithm.</param>
    /// <param name="drift">That of what is common to the whole run: how much the machine is faster or slower.</param>
    /// <param name="change">By chart, series and x: what the figures are multiplied by.</param>
    internal static RunFile Of(
        int seed = 1, int repeats = 5, double noise = 0.05, double drift = 0, Func<string, string, double, double>? change = null) =>
        new InventedRun(seed, repeats, noise, drift) { Change = change ?? (static (_, _, _) => 1) }.Make();

    private RunFile Make() => new()
    {
        Format = RunFile.CurrentFormat,
        Commit = "0123456789abcdef0123456789abcdef01234567",
        StartedAt = new DateTimeOffset(2026, 2, 3, 4, 5, 6, TimeSpan.Zero),
        Minutes = 41.7,
        Machine = new RunMachine
        {
            Processor = "Invented(R) Processor 9000 @ 3.00GHz",
            Cores = 4,
            MemoryBytes = 32L << 30,
            System = "Invented GNU/Linux 13",
            Runtime = ".NET 10.0.12",
            Collector = "workstation concurrent GC",
        },
        Options = new Dictionary<string, string> { ["quick"] = "false", ["repeats"] = $"{_repeats}" },
        Charts =
        [
            Pause(), Memory(), Throughput("put", 9e6, "Put"), Throughput("get-in-order", 40e6, "Get in order"),
            Throughput("get-at-random", 6e6, "Get at random"), Throughput("get-in-batches", 14e6, "Batched get"), Latency(), Open(),
            HitRatio(), Requests(),
        ],
    };

    private RunChart Pause() => Chart(
        "pause", "Longest pause of the collector, by live objects", new RunAxis("live objects", "", true),
        new RunAxis("longest pause", "ms", true), moreIsBetter: false,
        Series("managed heap", true, Objects, static x => x * 4.2e-5), Series("pile", false, Objects, static x => 0.55 + x * 1e-9));

    private RunChart Memory() => Chart(
        "memory", "Memory of an object, by live objects", new RunAxis("live objects", "", true),
        new RunAxis("memory of an object", "bytes", false), moreIsBetter: false,
        Series("managed heap", true, Objects, static _ => 168), Series("pile", false, Objects, static x => 62 + 2e7 / x));

    private RunChart Throughput(string id, double base1, string title) => Chart(
        id, $"{title}, by threads",
        new RunAxis("threads", "", false), new RunAxis("operations", "a second", false), moreIsBetter: true,
        Series("managed", false, Threads, x => base1 * 0.9 * x / (1 + 0.05 * x)),
        Series("native", false, Threads, x => base1 * x / (1 + 0.04 * x)),
        Series("mapped", false, Threads, x => base1 * 0.97 * x / (1 + 0.06 * x)));

    private RunChart Latency() => Chart(
        "latency", "Latency of a get at random, by size of the data", new RunAxis("data", "bytes", true),
        new RunAxis("latency", "us", true), moreIsBetter: false,
        Series("p50", false, Sizes, static x => 0.12 + x / Gibibyte * 0.02),
        Series("p99", false, Sizes, static x => 0.6 + x / Gibibyte * 0.1),
        Series("p99.9", false, Sizes, static x => 2.5 + x / Gibibyte * 1.6));

    private RunChart Open() => Chart(
        "open", "Time until a mapped pile answers and until it is warm, by its size", new RunAxis("pile", "bytes", true),
        new RunAxis("time since opening", "ms", true), moreIsBetter: false,
        Series("first get, clean", false, Sizes, static x => 4 + x / Gibibyte * 0.4),
        Series("first get, killed", false, Sizes, static x => 9 + x / Gibibyte * 1.1),
        Series("warm, clean", false, Sizes, static x => 30 + x / Gibibyte * 310),
        Series("warm, killed", false, Sizes, static x => 45 + x / Gibibyte * 420));

    private RunChart HitRatio() => Chart(
        "hit-ratio", "Hit ratio by capacity, trace web07", new RunAxis("capacity", "% of the keys", true),
        new RunAxis("hit ratio", "%", false), moreIsBetter: true,
        Series("table", false, [1, 2, 5, 10, 20], static x => 43 + 11 * Math.Log(x) / 1.6),
        Series("LRU", true, [1, 2, 5, 10, 20], static x => 36 + 11.5 * Math.Log(x) / 1.6),
        Series("S3-FIFO", true, [1, 2, 5, 10, 20], static x => 42 + 11 * Math.Log(x) / 1.6),
        Series("optimum", true, [1, 2, 5, 10, 20], static x => 53 + 9 * Math.Log(x) / 1.6));

    private RunChart Requests() => Chart(
        "requests", "Requests over HTTP, by connections", new RunAxis("connections", "", true),
        new RunAxis("requests", "a second", false), moreIsBetter: true,
        [.. new[] { 64, 1024, 16384, 262144 }.Select(size => Series(
            size < 1024 ? $"{size} B" : $"{size >> 10} KiB", false, [1, 4, 16, 64, 256],
            x => 180_000 * x / (x + 9) / (1 + size / 30_000.0)))]);

    private static RunChart Chart(
        string id, string title, RunAxis x, RunAxis y, bool moreIsBetter, params Func<RunChart, RunSeries>[] series)
    {
        var chart = new RunChart
        {
            Id = id, Title = title, HowMade = $"Figures of {title.ToLowerInvariant()}: invented, for a test of the page.", X = x, Y = y,
            MoreIsBetter = moreIsBetter, Series = [],
        };
        return chart with { Series = [.. series.Select(one => one(chart))] };
    }

    private Func<RunChart, RunSeries> Series(string name, bool isBaseline, double[] places, Func<double, double> of) => chart =>
        new RunSeries(name, isBaseline, [.. places.Select(x => Point(chart, name, x, of(x)))]);

    private RunPoint Point(RunChart chart, string name, double x, double value)
    {
        double drift = chart.MoreIsBetter ? _drift : 1 / _drift;
        double changed = value * drift * Change(chart.Id, name, x);
        return new RunPoint(x, [.. Enumerable.Range(0, _repeats).Select(_ => changed * Math.Exp(_noise * Normal()))]);
    }

    private double Normal() => Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
}
