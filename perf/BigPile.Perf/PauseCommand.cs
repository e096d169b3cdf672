using System.CommandLine;
using System.IO;
using BigPile.Perf.Pauses;

namespace BigPile.Perf;

/// <summary>The command <c>pause</c>.</summary>
internal sealed class PauseCommand : ReportCommand<PauseOptions, PauseReport>
{
    private static readonly PauseOptions Defaults = new();

    private readonly Option<PauseHolder> _holder = LoadOption.Name("--holder", "What holds the objects.", Defaults.Holder);
    private readonly Option<int> _count = LoadOption.Count("How many objects are live.", Defaults.Count, InsertOptions.MaxCount);
    private readonly Option<int> _seconds = LoadOption.Seconds("How long objects are replaced and got.", Defaults.Seconds);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads do so.", Defaults.Threads);

    internal PauseCommand(TextWriter output)
        : base(output, "pause",
            "Holds persons of seven fields on the managed heap or in a pile, replaces and gets some of them for a while, and tells the "
                + "pauses of the collector and the memory an object takes.",
            PauseLoad.Run) => AddOptions(_holder, _count, _seconds, _threads);

    protected override PauseOptions Read(ParseResult arguments) => new()
    {
        Holder = arguments.GetValue(_holder),
        Count = arguments.GetValue(_count),
        Seconds = arguments.GetValue(_seconds),
        Threads = arguments.GetValue(_threads),
    };
}

/// <summary>What the pause load is asked to do.</summary>
internal sealed record PauseOptions
{
    internal const int MaxSeconds = 3600;

    internal PauseHolder Holder { get; init; } = PauseHolder.Pile; // what holds the objects
    internal int Count { get; init; } = 1_000_000; // the number of live objects
    internal int Seconds { get; init; } = 8; // how long objects are replaced and got
    internal int Threads { get; init; } = System.Environment.ProcessorCount; // how many threads do so
}

/// <summary>What holds the objects of a pause load.</summary>
internal enum PauseHolder
{
    Heap, // the managed heap: an array refers to them
    Pile, // a pile in native memory: an array has their pointers
}
