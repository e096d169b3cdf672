using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Policies;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;
using BigPile.Perf.Traces;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>trace</c>: its options, and what is printed.</summary>
internal sealed class TraceCommand : ReportCommand<TraceOptions, TraceReport>
{
    private readonly Argument<string[]> _files = new("FILE")
    {
        Description = "Recorded accesses, plain or compressed; directories of such files; or "
            + $"{string.Join(", ", SyntheticTrace.AllNames)}, which are made.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<TraceFormat?> _format = new("--format")
    {
        Description = "What the files' bytes mean; told by each file's name, its folder and its first line by default.",
        CustomParser = TraceParsers.ParseFormat,
        HelpName = TraceFormats.All.Replace(", ", "|"),
    };

    private readonly Option<int?> _capacity = new("--capacity")
    {
        Description = "The most entries of the table.",
        CustomParser = result => OptionParsers.ParseNumber(result, "--capacity", int.MaxValue),
        HelpName = "N",
    };

    private readonly Option<double[]?> _fractions = new("--capacity-fraction")
    {
        Description = $"The same, as a share of the different keys, but at least {PolicyTable.MinCapacity}; several with commas between.",
        CustomParser = TraceParsers.ParseFractions,
        HelpName = "F",
    };

    private readonly Option<PolicyKind[]?> _policies = new("--policies")
    {
        Description = "What the table is set beside, with commas between, or all, or none; all by default. "
            + "The optimum knows the future, and puts each key that was missing, as the table does.",
        CustomParser = TraceParsers.ParsePolicies,
        HelpName = string.Join('|', PolicyKinds.All.Select(PolicyKinds.NameOf)),
    };

    private readonly Option<int> _threads =
        SharedOptions.Threads("How many threads share the accesses to the table, 64 at a time.", 1);

    private readonly Option<int> _seed = new("--seed")
    {
        Description = "Decides traces and sizes that are made; 0 by default.",
        CustomParser = result => OptionParsers.ParseNumber(result, "--seed", int.MaxValue, min: 0),
        HelpName = "N",
    };

    private readonly Option<bool> _sizes = new("--sizes")
    {
        Description = "The limit is in bytes: a share of what all entries take, at least 1 MiB. A key keeps the size of its first access; "
            + $"where the file has no sizes, it is from 1 to {MadeSizes.Units:N0} units of {MadeSizes.UnitBytes} bytes, by a hash of the "
            + "key. The simulated policies weigh each entry as the table does.",
    };

    internal TraceCommand(TextWriter output)
        : base(output, "trace",
            "Replays recorded accesses through a table with a limit: gets each key, and puts it when it is missing. Simulates other "
                + "policies beside it.")
    {
        Add(_files);
        AddOptions(_capacity, _fractions, _policies, _threads, _sizes, _format, _seed);
    }

    protected override TraceOptions Read(ParseResult arguments)
    {
        IReadOnlyList<string> files = TraceSource.Expand(arguments.GetRequiredValue(_files)); // whatever else may be wrong
        int? capacity = arguments.GetValue(_capacity);
        double[] fractions = arguments.GetValue(_fractions) ?? [];
        bool hasSizes = arguments.GetValue(_sizes);
        if ((capacity == null) == (fractions.Length == 0))
            throw new LoadException("The table needs a limit. Give either --capacity N or --capacity-fraction F.");
        if (hasSizes && capacity != null)
            throw new LoadException("--sizes has a limit in bytes, and --capacity is one in entries. Give --capacity-fraction F.");
        return new TraceOptions
        {
            Files = files,
            Format = arguments.GetValue(_format),
            Capacity = capacity,
            Fractions = fractions,
            Policies = PoliciesOf(IsGiven(arguments, _policies) ? arguments.GetRequiredValue(_policies)! : [.. PolicyKinds.All], hasSizes),
            Threads = arguments.GetValue(_threads),
            Seed = arguments.GetValue(_seed),
            HasSizes = hasSizes,
        };
    }

    protected override TraceReport Run(TraceOptions options, ILoadProgress progress, CancellationToken stop) =>
        TraceRunner.Run(options, progress, stop);

    protected override string ToJson(TraceReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, TraceReport report) => TraceTable.Write(console, report);

    // The value of an option that was left out is an empty array, as that of "none" is.
    private static bool IsGiven(ParseResult arguments, Option option) => arguments.GetResult(option) is { Implicit: false };

    // All are those that are possible.
    private static PolicyKind[] PoliciesOf(PolicyKind[] asked, bool hasSizes)
    {
        if (!hasSizes)
            return asked;
        if (asked.Length == PolicyKinds.All.Count)
            return [.. PolicyKinds.Weighing];
        PolicyKind[] others = [.. asked.Except(PolicyKinds.Weighing)];
        return others.Length == 0
            ? asked
            : throw new LoadException(
                $"--policies {PolicyKinds.NameOf(others[0])} does not weigh its entries. With --sizes, use some of "
                + $"{string.Join(", ", PolicyKinds.Weighing.Select(PolicyKinds.NameOf))}.");
    }
}
