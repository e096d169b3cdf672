using System.CommandLine;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Latencies;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>latency</c>: its options, and what is printed.</summary>
internal sealed class LatencyCommand : ReportCommand<LatencyOptions, CallReport>
{
    private static readonly LatencyOptions Defaults = new();

    private readonly Option<LatencyHolder> _holder = new("--of")
    {
        Description = "What is called; a table by default.",
        CustomParser = result => OptionParsers.ParseName<LatencyHolder>(result, "--of"),
        HelpName = "table|pile",
    };

    private readonly Option<CallKind[]?> _calls = new("--calls")
    {
        Description = "The kinds of calls, with commas between; all of them by default.",
        CustomParser = result => OptionParsers.ParseNames<CallKind>(result, "--calls"),
        HelpName = "get|put|replace|remove",
    };

    private readonly Option<EntryShape> _entries = SharedOptions.Entries();

    private readonly Option<StoreKind?> _store = SharedOptions.Store();

    private readonly Option<string?> _directory = SharedOptions.MappedDirectory();

    private readonly Option<int> _mebibytes = SharedOptions.Mebibytes(Defaults.Mebibytes, ScaleOptions.MaxMebibytes);

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(Defaults.ValueBytes);

    private readonly Option<int> _rate = new("--rate")
    {
        Description = "Calls a second.",
        DefaultValueFactory = _ => Defaults.Rate,
        CustomParser = result => OptionParsers.ParseNumber(result, "--rate", LatencyOptions.MaxRate),
        HelpName = "N",
    };

    private readonly Option<int> _seconds = SharedOptions.Seconds("How long each kind of call is measured.", Defaults.Seconds);

    private readonly Option<double> _flushEvery = new("--flush-every")
    {
        Description = "Mapped: the seconds from one flush beside the calls to the next, such as 0.5; 0: none.",
        CustomParser = result => OptionParsers.ParseShare(result, "--flush-every", 0, LatencyOptions.MaxFlushSeconds),
        HelpName = "S",
    };

    private readonly Option<int> _replaceRate = new("--replace-rate")
    {
        Description = "Replacements a second of other entries beside the calls; 0: none.",
        CustomParser = result => OptionParsers.ParseNumber(result, "--replace-rate", LatencyOptions.MaxRate, min: 0),
        HelpName = "N",
    };

    internal LatencyCommand(TextWriter output)
        : base(output, "latency",
            "Makes single calls of a table or a pile at a fixed rate, and tells the times of the slowest, apart from what the machine "
                + "itself takes.")
    {
        AddOptions(
            _holder, _calls, _entries, _store, _directory, _mebibytes, _valueBytes, _rate, _seconds, _flushEvery, _replaceRate);
    }

    protected override LatencyOptions Read(ParseResult arguments)
    {
        var options = new LatencyOptions
        {
            Holder = arguments.GetValue(_holder),
            Entries = arguments.GetValue(_entries),
            Calls = arguments.GetValue(_calls) is { Length: > 0 } calls ? [.. calls.Distinct().Order()] : Defaults.Calls,
            Store = arguments.GetValue(_store) ?? Defaults.Store,
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

    protected override CallReport Run(LatencyOptions options, ILoadProgress progress, CancellationToken stop) =>
        LatencyLoad.Run(options, progress, stop);

    protected override string ToJson(CallReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, CallReport report) => CallTable.Write(console, report);

    private static void RefuseMixture(LatencyOptions options)
    {
        if (options.Store != StoreKind.Mapped && options.Directory != null)
            throw new LoadException("--dir is for a mapped pile only. Leave it out, or use --store mapped.");
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
