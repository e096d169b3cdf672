using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Memory;
using BigPile.Perf.Reports;
using BigPile.Perf.Loads;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>cache</c>: its options, and what is printed.</summary>
internal sealed class CacheCommand : Command
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

    private readonly Option<bool> _json = SharedOptions.Json();

    private readonly TextWriter _output;

    internal CacheCommand(TextWriter output)
        : base("cache", "Fills a table from empty, and again on touched memory; gets in order, at random, in batches; replaces; mixes; removes.")
    {
        _output = output;
        Add(_mode);
        Add(_keys);
        Add(_valueBytes);
        Add(_count);
        Add(_threads);
        Add(_store);
        Add(_readRatio);
        Add(_zipf);
        Add(_batch);
        Add(_json);
        SetAction(RunAsync);
    }

    private Task<int> RunAsync(ParseResult arguments, CancellationToken stop)
    {
        var options = new CacheOptions
        {
            Mode = arguments.GetValue(_mode) ?? Defaults.Mode,
            Keys = arguments.GetValue(_keys) ?? Defaults.Keys,
            ValueBytes = arguments.GetValue(_valueBytes),
            Count = arguments.GetValue(_count),
            Threads = arguments.GetValue(_threads),
            Store = arguments.GetValue(_store) ?? Defaults.Store,
            ReadRatio = arguments.GetValue(_readRatio),
            Zipf = arguments.GetValue(_zipf),
            Batch = arguments.GetValue(_batch),
        };
        if (arguments.GetValue(_json))
            _output.WriteLine(JsonReport.Write(CacheRunner.Run(options, new NoProgress(), stop)));
        else
            ReportConsole.Show(_output, progress => CacheRunner.Run(options, progress, stop), CacheTables.Write);
        return Task.FromResult(0);
    }
}
