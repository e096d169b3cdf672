using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Pauses;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>pause</c>: its options, and what is printed.</summary>
internal sealed class PauseCommand : ReportCommand<PauseOptions, PauseReport>
{
    private static readonly PauseOptions Defaults = new();

    private readonly Option<PauseHolder> _holder = new("--holder")
    {
        Description = "What holds the objects; a pile by default.",
        DefaultValueFactory = _ => Defaults.Holder,
        CustomParser = OptionParsers.ParseHolder,
        HelpName = "heap|pile",
    };

    private readonly Option<int> _count = SharedOptions.Count("How many objects are live.", Defaults.Count, InsertOptions.MaxCount);

    private readonly Option<int> _seconds = SharedOptions.Seconds("How long objects are replaced and got.", Defaults.Seconds);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads do so.", Defaults.Threads);

    internal PauseCommand(TextWriter output)
        : base(output, "pause",
            "Holds persons of seven fields on the managed heap or in a pile, replaces and gets some of them for a while, and tells the "
                + "pauses of the collector and the memory an object takes.")
    {
        AddOptions(_holder, _count, _seconds, _threads);
    }

    protected override PauseOptions Read(ParseResult arguments) => new()
    {
        Holder = arguments.GetValue(_holder),
        Count = arguments.GetValue(_count),
        Seconds = arguments.GetValue(_seconds),
        Threads = arguments.GetValue(_threads),
    };

    protected override PauseReport Run(PauseOptions options, ILoadProgress progress, CancellationToken stop) =>
        PauseLoad.Run(options, progress, stop);

    protected override string ToJson(PauseReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, PauseReport report) => PauseTable.Write(console, report);
}
