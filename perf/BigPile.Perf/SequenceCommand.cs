using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Sequences;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>sequence</c>: its options, and what is printed.</summary>
internal sealed class SequenceCommand : ReportCommand<SequenceOptions, SequenceReport>
{
    private static readonly SequenceOptions Defaults = new();

    private readonly Option<SequenceLayer?> _layer = new("--layer")
    {
        Description = "What is set and got: records of a file, or keys and values of a hash database in it; file by default.",
        CustomParser = OptionParsers.ParseLayer,
        HelpName = "file|hash",
    };

    private readonly Option<BlockFileKind?> _file = new("--file")
    {
        Description = "The kind of the file; all of them, one after the other, by default.",
        CustomParser = OptionParsers.ParseFile,
        HelpName = "std|mmap-para|mmap-atom|pos-para|pos-atom|all",
    };

    private readonly Option<int> _count = SharedOptions.Count("How many records.", Defaults.Count, SequenceOptions.MaxCount);

    private readonly Option<int> _threads = SharedOptions.Threads("How many threads the records are dealt out to.", Defaults.Threads);

    private readonly Option<int?> _size = Number("--size", "File: the bytes of a record; 100 by default.", SequenceOptions.MaxBytes);

    private readonly Option<int?> _keySize = Number("--key-size", "Hash: the bytes of a key; 8 by default.", SequenceOptions.MaxKeyBytes);

    private readonly Option<int?> _valueSize =
        Number("--value-size", "Hash: the bytes of a value; 8 by default.", SequenceOptions.MaxBytes);

    private readonly Option<int?> _buckets =
        Number("--buckets", "Hash: the buckets; as many as records by default.", SequenceOptions.MaxCount);

    private readonly Option<bool> _random = new("--random")
    {
        Description = "Draw offsets, of any byte, or keys; some come again then, and some never.",
    };

    private readonly Option<string?> _directory = new("--directory")
    {
        Description = "An empty or missing directory for the file, which is removed at the end. Temporary by default.",
        HelpName = "D",
    };

    internal SequenceCommand(TextWriter output)
        : base(output, "sequence",
            "Sets and gets the records of a file, or sets, gets and removes those of a hash database, and compares each that it gets. "
                + "Each phase opens the file anew, outside of its time; code is warmed by small runs before.")
    {
        AddOptions(_layer, _file, _count, _threads, _size, _keySize, _valueSize, _buckets, _random, _directory);
    }

    protected override SequenceOptions Read(ParseResult arguments)
    {
        SequenceLayer layer = arguments.GetValue(_layer) ?? Defaults.Layer;
        Refuse(arguments, layer == SequenceLayer.File ? [_keySize, _valueSize, _buckets] : [_size], layer);
        var options = new SequenceOptions
        {
            Layer = layer,
            Kind = arguments.GetValue(_file),
            Count = arguments.GetValue(_count),
            Threads = arguments.GetValue(_threads),
            SizeBytes = arguments.GetValue(_size) ?? Defaults.SizeBytes,
            KeyBytes = arguments.GetValue(_keySize) ?? Defaults.KeyBytes,
            ValueBytes = arguments.GetValue(_valueSize) ?? Defaults.ValueBytes,
            Buckets = arguments.GetValue(_buckets),
            IsRandom = arguments.GetValue(_random),
            Directory = arguments.GetValue(_directory),
        };
        CheckKeys(options);
        return options;
    }

    protected override SequenceReport Run(SequenceOptions options, ILoadProgress progress, CancellationToken stop) =>
        SequenceRunner.Run(options, progress, stop);

    protected override string ToJson(SequenceReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, SequenceReport report) => SequenceTable.Write(console, report);

    private static void Refuse(ParseResult arguments, Option<int?>[] unrelated, SequenceLayer layer)
    {
        string own = layer.ToString().ToLowerInvariant();
        string other = (layer == SequenceLayer.File ? SequenceLayer.Hash : SequenceLayer.File).ToString().ToLowerInvariant();
        foreach (Option<int?> option in unrelated)
        {
            if (arguments.GetValue(option) is not null)
                throw new LoadException($"{option.Name} means nothing to --layer {own}. Leave it out, or use --layer {other}.");
        }
    }

    private static void CheckKeys(SequenceOptions options)
    {
        if (options.KeyBytes >= sizeof(int) || options.Count <= 1 << (8 * options.KeyBytes))
            return;
        throw new LoadException(
            $"--key-size {options.KeyBytes} is too narrow for --count {options.Count}: there are {1 << (8 * options.KeyBytes)} such keys. "
            + "Use a wider key, or fewer records.");
    }

    private static Option<int?> Number(string name, string description, int max) => new(name)
    {
        Description = description,
        CustomParser = result => OptionParsers.ParseNumber(result, name, max),
        HelpName = "N",
    };
}
