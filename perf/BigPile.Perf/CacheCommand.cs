using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>cache</c>: its options, and what is printed.</summary>
internal sealed class CacheCommand : ReportCommand<CacheOptions, CacheReport>
{
    private static readonly CacheOptions Defaults = new();

    private readonly Option<CollisionMode?> _mode = new("--mode")
    {
        Description = "What the table does when the place where a key belongs is full; speculative by default.",
        CustomParser = OptionParsers.ParseMode,
        HelpName = "speculative|durable",
    };

    private readonly Option<KeyShape?> _keys = new("--keys")
    {
        Description = "The keys; long by default.",
        CustomParser = OptionParsers.ParseKeys,
        HelpName = "long|string",
    };

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(Defaults.ValueBytes);

    private readonly Option<int> _count = SharedOptions.Count("How many entries.", Defaults.Count, CacheOptions.MaxCount);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads share the entries.", Defaults.Threads);

    private readonly Option<StoreKind?> _store = SharedOptions.Store();

    private readonly Option<EntryShape> _entries = SharedOptions.Entries();

    private readonly Option<double> _readRatio = new("--read-ratio")
    {
        Description = "The share of reads in the mixed phase; the others replace.",
        DefaultValueFactory = _ => Defaults.ReadRatio,
        CustomParser = result => OptionParsers.ParseShare(result, "--read-ratio", 0, 1),
        HelpName = "R",
    };

    private readonly Option<double> _zipf = new("--zipf")
    {
        Description = "The skew of the keys in the mixed phase; 0: all alike.",
        DefaultValueFactory = _ => Defaults.Zipf,
        CustomParser = result => OptionParsers.ParseShare(result, "--zipf", 0, 2),
        HelpName = "S",
    };

    private readonly Option<int> _batch = new("--batch")
    {
        Description = "The keys of one call in the phase of batched gets.",
        DefaultValueFactory = _ => Defaults.Batch,
        CustomParser = result => OptionParsers.ParseNumber(result, "--batch", CacheOptions.MaxBatch),
        HelpName = "B",
    };

    internal CacheCommand(TextWriter output)
        : base(output, "cache",
            "Fills a table from empty, and again on touched memory; gets in order, at random, in batches; replaces; mixes; removes.")
    {
        AddOptions(_mode, _keys, _valueBytes, _count, _threads, _store, _entries, _readRatio, _zipf, _batch);
    }

    protected override CacheOptions Read(ParseResult arguments) => new()
    {
        Mode = arguments.GetValue(_mode) ?? Defaults.Mode,
        Keys = arguments.GetValue(_keys) ?? Defaults.Keys,
        ValueBytes = arguments.GetValue(_valueBytes),
        Count = arguments.GetValue(_count),
        Threads = arguments.GetValue(_threads),
        Store = arguments.GetValue(_store) ?? Defaults.Store,
        Entries = arguments.GetValue(_entries),
        ReadRatio = arguments.GetValue(_readRatio),
        Zipf = arguments.GetValue(_zipf),
        Batch = arguments.GetValue(_batch),
    };

    protected override CacheReport Run(CacheOptions options, ILoadProgress progress, CancellationToken stop) =>
        CacheRunner.Run(options, progress, stop);

    protected override string ToJson(CacheReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, CacheReport report) => CacheTables.Write(console, report);
}
