using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using System.IO;
using System.Linq;
using BigPile.Perf.Policies;
using BigPile.Perf.Tables;
using BigPile.Perf.Traces;

namespace BigPile.Perf;

/// <summary>The command <c>trace</c>.</summary>
internal sealed class TraceCommand : ReportCommand<TraceOptions, TraceReport>
{
    private const double MinFraction = 0.000001;

    private readonly Argument<string[]> _files = new("FILE")
    {
        Description = "Recorded accesses, plain or compressed; directories of such files; or "
            + $"{string.Join(", ", SyntheticTrace.AllNames)}, which are made.",
        Arity = ArgumentArity.OneOrMore,
    };

    private readonly Option<TraceFormat?> _format = new("--format")
    {
        Description = "What the files' bytes mean; told by each file's name, its folder and its first line by default.",
        CustomParser = ParseFormat,
        HelpName = TraceFormats.All.Replace(", ", "|"),
    };

    private readonly Option<int?> _capacity = LoadOption.Number("--capacity", "The most entries of the table.", int.MaxValue);

    private readonly Option<double[]?> _fractions = new("--capacity-fraction")
    {
        Description = $"The same, as a share of the different keys, but at least {PolicyTable.MinCapacity}; several with commas between.",
        CustomParser = ParseFractions,
        HelpName = "F",
    };

    private readonly Option<PolicyKind[]?> _policies = new("--policies")
    {
        Description = "What the table is set beside, with commas between, or all, or none; all by default. "
            + "The optimum knows the future, and puts each key that was missing, as the table does.",
        CustomParser = ParsePolicies,
        HelpName = string.Join('|', PolicyKinds.All.Select(PolicyKinds.NameOf)),
    };

    private readonly Option<int> _threads =
        LoadOption.Threads("How many threads share the accesses to the table, 64 at a time.", 1);

    private readonly Option<int> _seed = LoadOption.Number("--seed", "Decides traces and sizes that are made.", 0, int.MaxValue, min: 0);

    private readonly Option<bool> _sizes = new("--sizes")
    {
        Description = "The limit is in bytes: a share of what all entries take, at least 1 MiB. A key keeps the size of its first access; "
            + $"where the file has no sizes, it is from 1 to {MadeSizes.Units:N0} units of {MadeSizes.UnitBytes} bytes, by a hash of the "
            + "key. The simulated policies weigh each entry as the table does.",
    };

    internal TraceCommand(TextWriter output)
        : base(output, "trace",
            "Replays recorded accesses through a table with a limit: gets each key, and puts it when it is missing. Simulates other "
                + "policies beside it.",
            TraceRunner.Run)
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

    private static TraceFormat? ParseFormat(ArgumentResult result)
    {
        string text = LoadOption.TextOf(result);
        if (TraceFormats.TryParse(text, out TraceFormat format))
            return format;
        result.AddError($"--format '{text}' is unknown. Use one of {TraceFormats.All}.");
        return null;
    }

    /// <summary>Reads shares between commas.</summary>
    private static double[] ParseFractions(ArgumentResult result)
    {
        string text = LoadOption.TextOf(result);
        string[] parts = text.Split(',');
        var shares = new double[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            bool isNumber = double.TryParse(parts[i], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out shares[i]);
            if (isNumber && shares[i] is >= MinFraction and <= 1)
                continue;
            result.AddError(string.Create(
                CultureInfo.InvariantCulture,
                $"--capacity-fraction '{parts[i]}' is out of range. It must be a number from {MinFraction:0.000000} to 1."));
            break;
        }
        return shares;
    }

    /// <summary>Reads policies between commas, or <c>all</c>, or <c>none</c>.</summary>
    private static PolicyKind[] ParsePolicies(ArgumentResult result)
    {
        string text = LoadOption.TextOf(result);
        if (text == "none")
            return [];
        if (text == "all")
            return [.. PolicyKinds.All];
        string[] parts = [.. text.Split(',').Distinct()];
        var kinds = new PolicyKind[parts.Length];
        for (int i = 0; i < parts.Length; i++)
        {
            if (!PolicyKinds.TryParse(parts[i], out kinds[i]))
            {
                result.AddError(
                    $"--policies '{parts[i]}' is unknown. "
                    + $"Use some of {string.Join(", ", PolicyKinds.All.Select(PolicyKinds.NameOf))}, or all, or none.");
            }
        }
        return kinds;
    }
}

/// <summary>What the trace load is asked to do.</summary>
internal sealed record TraceOptions
{
    public required IReadOnlyList<string> Files { get; init; } // files, and names of synthetic traces
    public TraceFormat? Format { get; init; } // the format of all files; null to tell each one's by itself
    public int? Capacity { get; init; } // the most entries; or
    public IReadOnlyList<double> Fractions { get; init; } = []; // the shares of the different keys, or of the bytes of all entries
    public required IReadOnlyList<PolicyKind> Policies { get; init; } // what is simulated beside the table
    public int Threads { get; init; } = 1; // the threads that share the accesses to the table
    public int Seed { get; init; } // decides synthetic traces, sizes that are made, and what a policy leaves to chance
    public bool HasSizes { get; init; } // whether entries have sizes, and the limit is in bytes
}
