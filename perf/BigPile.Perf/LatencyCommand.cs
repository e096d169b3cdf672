using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Globalization;
using System.IO;
using System.Linq;
using BigPile.Perf.Latencies;

namespace BigPile.Perf;

/// <summary>The command <c>latency</c>.</summary>
internal sealed class LatencyCommand : ReportCommand<LatencyOptions, IReadOnlyList<CallRow>>
{
    private static readonly LatencyOptions Defaults = new();

    private readonly Option<LatencyHolder> _holder = LoadOption.Name("--of", "What is called.", Defaults.Holder);
    private readonly Option<CallKind[]> _calls = LoadOption.Names<CallKind>("--calls", "The kinds of calls");
    private readonly Option<EntryShape> _entries = LoadOption.Entries();
    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<string?> _directory = LoadOption.Directory();
    private readonly Option<int> _mebibytes = LoadOption.Mebibytes(Defaults.Mebibytes, ScaleOptions.MaxMebibytes);
    private readonly Option<int> _valueBytes = LoadOption.ValueBytes(Defaults.ValueBytes);
    private readonly Option<int> _rate = LoadOption.Number("--rate", "Calls a second.", Defaults.Rate, LatencyOptions.MaxRate);
    private readonly Option<int> _seconds = LoadOption.Seconds("How long each kind of call is measured.", Defaults.Seconds);
    private readonly Option<double> _flushEvery = LoadOption.Share(
        "--flush-every", "Mapped: the seconds from one flush beside the calls to the next, such as 0.5; 0: none.", 0,
        LatencyOptions.MaxFlushSeconds);
    private readonly Option<int> _replaceRate = LoadOption.Number(
        "--replace-rate", "Replacements a second of other entries beside the calls; 0: none.", 0, LatencyOptions.MaxRate, min: 0);

    internal LatencyCommand(TextWriter output)
        : base(output, "latency",
            "Makes single calls of a table or a pile at a fixed rate, and tells the times of the slowest, apart from what the machine "
                + "itself takes.",
            LatencyLoad.Run) => AddOptions(
                _holder, _calls, _entries, _store, _directory, _mebibytes, _valueBytes, _rate, _seconds, _flushEvery, _replaceRate);

    protected override LatencyOptions Read(ParseResult arguments)
    {
        var options = new LatencyOptions
        {
            Holder = arguments.GetValue(_holder),
            Entries = arguments.GetValue(_entries),
            Calls = [.. arguments.GetRequiredValue(_calls).Distinct().Order()],
            Store = arguments.GetValue(_store),
            Directory = arguments.GetValue(_directory),
            Mebibytes = arguments.GetValue(_mebibytes),
            ValueBytes = arguments.GetValue(_valueBytes),
            Rate = arguments.GetValue(_rate),
            Seconds = arguments.GetValue(_seconds),
            FlushEverySeconds = arguments.GetValue(_flushEvery),
            ReplaceRate = arguments.GetValue(_replaceRate),
        };
        RefuseMixture(options);
        return options;
    }

    private static void RefuseMixture(LatencyOptions options)
    {
        LoadOption.RequireMapped(options.Store, options.Directory);
        if (options.Store != StoreKind.Mapped && options.FlushEverySeconds > 0)
            throw new LoadException("--flush-every is for a mapped pile only. Leave it out, or use --store mapped.");
        if (options.Holder == LatencyHolder.Pile && options.Entries != EntryShape.Plain)
            throw new LoadException("--entries is for a table only. Leave it out, or use --of table.");
        long calls = (long)options.Rate * options.Seconds;
        if (calls > LatencyOptions.MaxCalls)
        {
            throw new LoadException(string.Create(
                CultureInfo.InvariantCulture,
                $"--rate {options.Rate} for --seconds {options.Seconds} is {calls:N0} calls, and the most are "
                + $"{LatencyOptions.MaxCalls:N0}. Lower one of them."));
        }
    }
}

/// <summary>Options of the load of single calls.</summary>
internal sealed record LatencyOptions
{
    internal const int MaxRate = 10_000_000;
    internal const int MaxCalls = 1_000_000_000; // and as many entries: together they have numbers of an int
    internal const int MaxFlushSeconds = 3600;

    private const long OverheadBytes = 64; // of an entry, about: its header, key, slack, and its place in the index

    internal LatencyHolder Holder { get; init; } = LatencyHolder.Table;
    internal EntryShape Entries { get; init; } = EntryShape.Plain;
    internal IReadOnlyList<CallKind> Calls { get; init; } = Enum.GetValues<CallKind>();
    internal StoreKind Store { get; init; } = StoreKind.Native;
    internal string? Directory { get; init; } // the user's directory for a mapped pile; null for a temporary one
    internal int Mebibytes { get; init; } = 256; // mebibytes of payloads and headers before anything is measured
    internal int ValueBytes { get; init; } = 100;
    internal int Rate { get; init; } = 200_000; // calls a second
    internal int Seconds { get; init; } = 10; // how long each kind of call is measured
    internal double FlushEverySeconds { get; init; } // the time between two concurrent flushes; 0: none
    internal int ReplaceRate { get; init; } // concurrent replacements a second, of other entries; 0: none

    /// <summary>Whether there is concurrent work.</summary>
    internal bool IsDisturbed => FlushEverySeconds > 0 || ReplaceRate > 0;

    /// <summary>The entries before anything is measured: at least one for the calls and one for the concurrent work.</summary>
    internal int Count => (int)Math.Clamp(Mebibytes * (1L << 20) / (ValueBytes + 8), 2, MaxCalls);

    /// <summary>The calls of each kind.</summary>
    internal int CallCount =>
        (int)Math.Max(1, Rate * Brevity.Of(TimeSpan.FromSeconds(Seconds), TimeSpan.FromMilliseconds(50)).TotalSeconds);

    /// <summary>About the most bytes that the entries take.</summary>
    internal long NeededBytes => ((long)Count + CallCount) * (ValueBytes + OverheadBytes);
}

/// <summary>What single calls are made to.</summary>
internal enum LatencyHolder
{
    Table, // a durable table of a pile
    Pile, // a pile itself
}

/// <summary>The single calls that are measured, in their order.</summary>
internal enum CallKind
{
    Get, // of an entry that is there
    Put, // of a new one
    Replace, // of an entry that is there
    Remove, // of the new ones
}
