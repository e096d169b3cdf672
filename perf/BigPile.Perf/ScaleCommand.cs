using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Scales;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>scale</c>: its options, and what is printed.</summary>
internal sealed class ScaleCommand : ReportCommand<ScaleOptions, ScaleReport>
{
    private static readonly ScaleOptions Defaults = new();

    private readonly Option<StoreKind?> _store = SharedOptions.Store();

    private readonly Option<int> _mebibytes = SharedOptions.Mebibytes(Defaults.Mebibytes, ScaleOptions.MaxMebibytes);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads work.", Defaults.Threads);

    private readonly Option<int> _operations = new("--operations")
    {
        Description = "How many operations each phase does, whatever the size.",
        DefaultValueFactory = _ => Defaults.Operations,
        CustomParser = result => OptionParsers.ParseNumber(result, "--operations", ScaleOptions.MaxOperations),
        HelpName = "N",
    };

    private readonly Option<string?> _directory = SharedOptions.MappedDirectory();

    internal ScaleCommand(TextWriter output)
        : base(output, "scale",
            "Fills a pile to a size with objects of 100 bytes, and measures the same number of gets and puts all over it at any size, "
                + "with the times of single ones.")
    {
        AddOptions(_store, _mebibytes, _threads, _operations, _directory);
    }

    protected override ScaleOptions Read(ParseResult arguments)
    {
        var options = new ScaleOptions
        {
            Store = arguments.GetValue(_store) ?? Defaults.Store,
            Mebibytes = arguments.GetValue(_mebibytes),
            Threads = arguments.GetValue(_threads),
            Operations = arguments.GetValue(_operations),
            Directory = arguments.GetValue(_directory),
        };
        return options.Directory is null || options.Store == StoreKind.Mapped
            ? options
            : throw new LoadException("--dir is for a mapped pile only. Leave it out, or use --store mapped.");
    }

    protected override ScaleReport Run(ScaleOptions options, ILoadProgress progress, CancellationToken stop) =>
        ScaleLoad.Run(options, progress, stop);

    protected override string ToJson(ScaleReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, ScaleReport report) => ScaleTable.Write(console, report);
}
