using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>limit</c>: its options, and what is printed.</summary>
internal sealed class LimitCommand : ReportCommand<LimitOptions, LimitReport>
{
    private static readonly LimitOptions Defaults = new();

    private readonly Option<int> _limit = new("--limit-mebibytes")
    {
        Description = "The most that the table may take.",
        DefaultValueFactory = _ => Defaults.LimitMebibytes,
        CustomParser = result => OptionParsers.ParseNumber(result, "--limit-mebibytes", LimitOptions.MaxLimitMebibytes),
        HelpName = "N",
    };

    private readonly Option<int> _put = new("--put-mebibytes")
    {
        Description = "How much is put in all.",
        DefaultValueFactory = _ => Defaults.PutMebibytes,
        CustomParser = result => OptionParsers.ParseNumber(result, "--put-mebibytes", LimitOptions.MaxPutMebibytes),
        HelpName = "N",
    };

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(Defaults.ValueBytes);

    private readonly Option<string?> _spill = new("--spill")
    {
        Description = "Where entries go that leave memory, to come back when they are asked for: a directory. They are evicted without it.",
        HelpName = "DIR",
    };

    internal LimitCommand(TextWriter output)
        : base(output, "limit",
            "Puts far more into a table than its limit in bytes, watches the table's own figure and the process's memory, and reads all.")
    {
        AddOptions(_limit, _put, _valueBytes, _spill);
    }

    protected override LimitOptions Read(ParseResult arguments) =>
        new(arguments.GetValue(_limit), arguments.GetValue(_put), arguments.GetValue(_valueBytes), arguments.GetValue(_spill));

    protected override LimitReport Run(LimitOptions options, ILoadProgress progress, CancellationToken stop) =>
        LimitRunner.Run(options, progress, stop);

    protected override string ToJson(LimitReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, LimitReport report) => CacheTables.Write(console, report);
}
