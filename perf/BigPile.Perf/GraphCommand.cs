using System.CommandLine;
using System.IO;
using BigPile.Perf.Graphs;

namespace BigPile.Perf;

/// <summary>The command <c>graph</c>.</summary>
internal sealed class GraphCommand : ReportCommand<GraphOptions, GraphReport>
{
    private readonly Argument<string> _file = new("FILE")
    {
        Description = "The catalog of packages: a JSON object on each line, plain or compressed by gzip.",
    };

    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<int> _threadsMax = LoadOption.Number(
        "--threads-max", "Everything is counted by one thread, and again by so many.", GraphOptions.DefaultThreadsMax,
        InsertOptions.MaxThreads);

    internal GraphCommand(TextWriter output)
        : base(output, "graph",
            "Reads a catalog of packages into a pile, and finds all that each one depends on, beside the same as plain objects.",
            GraphRunner.Run)
    {
        Add(_file);
        AddOptions(_threadsMax, _store);
    }

    protected override GraphOptions Read(ParseResult arguments) => new()
    {
        File = arguments.GetRequiredValue(_file),
        Store = arguments.GetValue(_store),
        ThreadsMax = arguments.GetValue(_threadsMax),
    };
}

/// <summary>What the graph load is asked to do.</summary>
internal sealed record GraphOptions
{
    internal const int DefaultThreadsMax = 2;

    internal required string File { get; init; } // the catalog
    internal StoreKind Store { get; init; } = StoreKind.Native;

    /// <summary>Everything is counted by one thread first, and then, if this is more, by so many.</summary>
    internal int ThreadsMax { get; init; } = DefaultThreadsMax;
}
