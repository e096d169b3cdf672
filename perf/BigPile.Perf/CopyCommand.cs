using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Copies;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>copy</c>: its options, and what is printed.</summary>
internal sealed class CopyCommand : ReportCommand<CopyOptions, CopyReport>
{
    private static readonly CopyOptions Defaults = new();

    private readonly Option<int> _repetitions =
        Number("--repetitions", "How often each figure is measured.", Defaults.Repetitions, 1, CopyOptions.MaxRepetitions);

    private readonly Option<int> _milliseconds =
        Number("--milliseconds", "How long each measurement is at least.", Defaults.Milliseconds, 1, CopyOptions.MaxMilliseconds);

    private readonly Option<int> _pool = Number(
        "--pool-mebibytes", "How much memory copies go round that are to miss the processor's caches, on each side.",
        Defaults.PoolMebibytes, CopyOptions.MinPoolMebibytes, CopyOptions.MaxPoolMebibytes);

    internal CopyCommand(TextWriter output)
        : base(output, "copy",
            "Copies 8 KB, and an image of 26,099,520 bytes, into shared memory in each way that .NET has, and makes memory for the image; "
                + "beside C's memcpy, which is the memory's limit.")
    {
        AddOptions(_repetitions, _milliseconds, _pool);
    }

    protected override CopyOptions Read(ParseResult arguments) => new()
    {
        Repetitions = arguments.GetValue(_repetitions),
        Milliseconds = arguments.GetValue(_milliseconds),
        PoolMebibytes = arguments.GetValue(_pool),
    };

    protected override CopyReport Run(CopyOptions options, ILoadProgress progress, CancellationToken stop) =>
        CopyRunner.Run(options, progress, stop);

    protected override string ToJson(CopyReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, CopyReport report) => CopyTable.Write(console, report);

    private static Option<int> Number(string name, string description, int otherwise, int min, int max) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => otherwise,
        CustomParser = result => OptionParsers.ParseNumber(result, name, max, min),
        HelpName = "N",
    };
}
