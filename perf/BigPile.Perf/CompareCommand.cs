using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>compare</c>: its options, and what is printed.</summary>
internal sealed class CompareCommand : ReportCommand<CacheOptions, CompareReport>
{
    private static readonly CacheOptions Defaults = new();

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(Defaults.ValueBytes);

    private readonly Option<int> _count = SharedOptions.Count("How many entries.", Defaults.Count, CacheOptions.MaxCount);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads share the entries.", Defaults.Threads);

    internal CompareCommand(TextWriter output)
        : base(output, "compare",
            "Puts and gets the same in a table and in the caches and stores that others use, with the pauses of the collector.")
    {
        AddOptions(_valueBytes, _count, _threads);
    }

    protected override CacheOptions Read(ParseResult arguments) => new()
    {
        ValueBytes = arguments.GetValue(_valueBytes),
        Count = arguments.GetValue(_count),
        Threads = arguments.GetValue(_threads),
    };

    protected override CompareReport Run(CacheOptions options, ILoadProgress progress, CancellationToken stop) =>
        CompareRunner.Run(options, progress, stop);

    protected override string ToJson(CompareReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, CompareReport report) => CacheTables.Write(console, report);
}
