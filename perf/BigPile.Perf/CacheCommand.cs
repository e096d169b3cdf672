using System.CommandLine;
using System.IO;
using BigPile.Caching;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>cache</c>.</summary>
internal sealed class CacheCommand : ReportCommand<CacheOptions, CacheReport>
{
    private static readonly CacheOptions Defaults = new();

    private readonly Option<CollisionMode> _mode = LoadOption.Name(
        "--mode", "What the table does when the place where a key belongs is full.", Defaults.Mode);
    private readonly Option<int> _valueBytes = LoadOption.ValueBytes(Defaults.ValueBytes);
    private readonly Option<int> _count = LoadOption.Count("How many entries.", Defaults.Count, CacheOptions.MaxCount);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads share the entries.", Defaults.Threads);
    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<EntryShape> _entries = LoadOption.Entries();

    internal CacheCommand(TextWriter output)
        : base(output, "cache",
            "Fills a table from empty, and again on touched memory; gets in order, at random, in batches; replaces; mixes; removes.",
            CacheRunner.Run) =>
        AddOptions(_mode, _valueBytes, _count, _threads, _store, _entries);

    protected override CacheOptions Read(ParseResult arguments) => new()
    {
        Mode = arguments.GetValue(_mode),
        ValueBytes = arguments.GetValue(_valueBytes),
        Count = arguments.GetValue(_count),
        Threads = arguments.GetValue(_threads),
        Store = arguments.GetValue(_store),
        Entries = arguments.GetValue(_entries),
    };
}

/// <summary>What the table load is asked to do.</summary>
internal sealed record CacheOptions
{
    internal const int MaxValueBytes = 1 << 20;
    internal const int MaxCount = 1_000_000_000;
    internal const int MinValueBytes = sizeof(long);
    internal const double ReadRatio = 0.9; // the share of reads in the mixed phase
    internal const double Zipf = 0.99; // the skew of the keys in it
    internal const int Batch = 32; // the keys of one call in the phase of batched gets

    internal CollisionMode Mode { get; init; } = CollisionMode.Speculative;
    internal int ValueBytes { get; init; } = 100;
    internal int Count { get; init; } = 1_000_000;
    internal int Threads { get; init; } = 1;
    internal StoreKind Store { get; init; } = StoreKind.Native;
    internal EntryShape Entries { get; init; } = EntryShape.Plain;
}
