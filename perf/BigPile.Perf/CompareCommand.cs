using System.CommandLine;
using System.IO;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>compare</c>.</summary>
internal sealed class CompareCommand : ReportCommand<CacheOptions, CompareReport>
{
    private static readonly CacheOptions Defaults = new();

    private readonly Option<int> _valueBytes = LoadOption.ValueBytes(Defaults.ValueBytes);
    private readonly Option<int> _count = LoadOption.Count("How many entries.", Defaults.Count, CacheOptions.MaxCount);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads share the entries.", Defaults.Threads);

    internal CompareCommand(TextWriter output)
        : base(output, "compare",
            "Puts and gets the same in a table and in the caches and stores that others use, with the pauses of the collector.",
            CompareRunner.Run) => AddOptions(_valueBytes, _count, _threads);

    protected override CacheOptions Read(ParseResult arguments) => new()
    {
        ValueBytes = arguments.GetValue(_valueBytes),
        Count = arguments.GetValue(_count),
        Threads = arguments.GetValue(_threads),
    };
}
