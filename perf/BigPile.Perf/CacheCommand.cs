using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Linq;
using BigPile.Caching;
using BigPile.Perf.Feeds;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>cache</c>.</summary>
internal sealed class CacheCommand : ReportCommand<CacheOptions, object>
{
    private static readonly CacheOptions Defaults = new();

    private readonly Option<CollisionMode> _mode = LoadOption.Name(
        "--mode", "What the table does when the place where a key belongs is full.", Defaults.Mode);
    private readonly Option<int> _valueBytes = LoadOption.ValueBytes(Defaults.ValueBytes);
    private readonly Option<int> _count = LoadOption.Count("How many entries.", Defaults.Count, CacheOptions.MaxCount);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads share the entries.", Defaults.Threads);
    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<EntryShape> _entries = LoadOption.Entries();
    private readonly Option<FeedMode[]> _feeds = LoadOption.Names<FeedMode>(
        "--feed", "Compares, instead, the puts of tables without a change feed, with one, and with one that is read");
    private readonly Option<int> _feedMebibytes = LoadOption.Number(
        "--feed-mebibytes", "With --feed: the window of the feed.", Defaults.FeedMebibytes, CacheOptions.MaxFeedMebibytes);
    private readonly Option<int> _keyBytes = LoadOption.Number(
        "--key-bytes", "With --feed: the bytes of a key, 8 or 16.", Defaults.KeyBytes, CacheOptions.MaxKeyBytes, sizeof(long));
    private readonly Option<int> _rounds = LoadOption.Number(
        "--rounds", "With --feed: how often all is done.", Defaults.Rounds, CacheOptions.MaxRounds);

    internal CacheCommand(TextWriter output)
        : base(output, "cache",
            "Fills a table from empty, and again on touched memory; gets in order, at random, in batches; replaces; mixes; removes.",
            static (options, progress, stop) =>
                options.Feeds == null ? CacheRunner.Run(options, progress, stop) : FeedRunner.Run(options, progress, stop))
    {
        AddOptions(_mode, _valueBytes, _count, _threads, _store, _entries, _feeds, _feedMebibytes, _keyBytes, _rounds);
        Validators.Add(RefuseMixture);
    }

    protected override CacheOptions Read(ParseResult arguments) => new()
    {
        Mode = arguments.GetValue(_mode),
        ValueBytes = arguments.GetValue(_valueBytes),
        Count = arguments.GetValue(_count),
        Threads = arguments.GetValue(_threads),
        Store = arguments.GetValue(_store),
        Entries = arguments.GetValue(_entries),
        Feeds = IsGiven(arguments.CommandResult, _feeds) ? [.. arguments.GetRequiredValue(_feeds).Distinct()] : null,
        FeedMebibytes = arguments.GetValue(_feedMebibytes),
        KeyBytes = arguments.GetValue(_keyBytes) > sizeof(long) ? CacheOptions.MaxKeyBytes : sizeof(long),
        Rounds = arguments.GetValue(_rounds),
    };

    private void RefuseMixture(CommandResult command)
    {
        if (!IsGiven(command, _feeds) && (IsGiven(command, _feedMebibytes) || IsGiven(command, _keyBytes) || IsGiven(command, _rounds)))
            command.AddError(
                "--feed-mebibytes, --key-bytes and --rounds are for --feed only. Leave them out, or add --feed off,none,read.");
    }
}

/// <summary>What the table load is asked to do.</summary>
internal sealed record CacheOptions
{
    internal const int MaxValueBytes = 1 << 20;
    internal const int MaxCount = 1_000_000_000;
    internal const int MinValueBytes = sizeof(long);
    internal const double ReadRatio = 0.9; // the share of reads in the mixed phase
    internal const double Zipf = 0.99; // the skew of the keys in it
    internal const int MaxFeedMebibytes = 1024;
    internal const int MaxKeyBytes = 16;
    internal const int MaxRounds = 1000;
    internal const int Batch = 32; // the keys of one call in the phase of batched gets

    internal CollisionMode Mode { get; init; } = CollisionMode.Speculative;
    internal int ValueBytes { get; init; } = 100;
    internal int Count { get; init; } = 1_000_000;
    internal int Threads { get; init; } = 1;
    internal StoreKind Store { get; init; } = StoreKind.Native;
    internal EntryShape Entries { get; init; } = EntryShape.Plain;

    /// <summary>The modes of the feed to compare; <see langword="null"/>: the usual load.</summary>
    internal FeedMode[]? Feeds { get; init; }

    internal int FeedMebibytes { get; init; } = 16;
    internal int KeyBytes { get; init; } = sizeof(long);
    internal int Rounds { get; init; } = 3;
}
