using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Linq;
using BigPile.Files;
using BigPile.Perf.Sequences;

namespace BigPile.Perf;

/// <summary>The command <c>sequence</c>.</summary>
internal sealed class SequenceCommand : ReportCommand<SequenceOptions, IReadOnlyList<SequenceRow>>
{
    private static readonly SequenceOptions Defaults = new();

    private readonly Option<SequenceLayer> _layer = LoadOption.Name(
        "--layer", "What is set and got: records of a file, or keys and values of a hash database in it.", Defaults.Layer);

    private readonly Option<BlockFileKind?> _file = new("--file")
    {
        Description = "The kind of the file; all of them, one after the other, by default.",
        CustomParser = ParseFile,
        HelpName = "std|mmap-para|mmap-atom|pos-para|pos-atom|all",
    };

    private readonly Option<int> _count = LoadOption.Count("How many records.", Defaults.Count, SequenceOptions.MaxCount);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads the records are dealt out to.", Defaults.Threads);
    private readonly Option<int?> _size =
        LoadOption.Number("--size", "File: the bytes of a record; 100 by default.", SequenceOptions.MaxBytes);
    private readonly Option<int?> _keySize =
        LoadOption.Number("--key-size", "Hash: the bytes of a key; 8 by default.", SequenceOptions.MaxKeyBytes);
    private readonly Option<int?> _valueSize =
        LoadOption.Number("--value-size", "Hash: the bytes of a value; 8 by default.", SequenceOptions.MaxBytes);
    private readonly Option<int?> _buckets =
        LoadOption.Number("--buckets", "Hash: the buckets; as many as records by default.", SequenceOptions.MaxCount);
    private readonly Option<string?> _directory = LoadOption.Path(
        "--directory", "An empty or missing directory for the file, which is removed at the end. Temporary by default.");

    private readonly Option<bool> _random = new("--random")
    {
        Description = "Draw offsets, of any byte, or keys; some come again then, and some never.",
    };

    internal SequenceCommand(TextWriter output)
        : base(output, "sequence",
            "Sets and gets the records of a file, or sets, gets and removes those of a hash database, and compares each that it gets. "
                + "Each phase opens the file anew, outside of its time; code is warmed by small runs before.",
            SequenceRunner.Run) =>
        AddOptions(_layer, _file, _count, _threads, _size, _keySize, _valueSize, _buckets, _random, _directory);

    protected override SequenceOptions Read(ParseResult arguments)
    {
        SequenceLayer layer = arguments.GetValue(_layer);
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

    private static void Refuse(ParseResult arguments, Option<int?>[] unrelated, SequenceLayer layer)
    {
        string own = LoadOption.NameOf(layer);
        string other = LoadOption.NameOf(layer == SequenceLayer.File ? SequenceLayer.Hash : SequenceLayer.File);
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

    private static BlockFileKind? ParseFile(ArgumentResult result)
    {
        string text = LoadOption.TextOf(result);
        if (text == "all")
            return null;
        if (!BlockFile.TryParseKind(text, out BlockFileKind kind))
            result.AddError($"--file '{text}' is unknown. Use {string.Join(", ", BlockFile.Kinds.Select(BlockFile.NameOf))} or all.");
        return kind;
    }
}

/// <summary>What the sequence load is asked to do.</summary>
internal sealed record SequenceOptions
{
    internal const int MaxCount = 1_000_000_000;
    internal const int MaxBytes = 1 << 20; // of a record, and of a value
    internal const int MaxKeyBytes = 4096;

    internal SequenceLayer Layer { get; init; } = SequenceLayer.File;
    internal BlockFileKind? Kind { get; init; } // the kind of the file; null for all of them, one after the other
    internal int Count { get; init; } = 1_000_000;
    internal int Threads { get; init; } = 1;
    internal int SizeBytes { get; init; } = 100; // the bytes of a record of the file layer
    internal int KeyBytes { get; init; } = 8;
    internal int ValueBytes { get; init; } = 8;
    internal int? Buckets { get; init; } // the buckets of the hash database; null for as many as there are records
    internal bool IsRandom { get; init; } // whether offsets and keys are drawn, so that some come again and some never, and not numbered
    internal string? Directory { get; init; } // the user's directory; null for a temporary one

    /// <summary>The bytes that the user stores with each record.</summary>
    internal int RecordBytes => Layer == SequenceLayer.File ? SizeBytes : KeyBytes + ValueBytes;
}

/// <summary>What a sequence is done to.</summary>
internal enum SequenceLayer
{
    File, // a file: records of one length at offsets
    Hash, // a hash database in a file: keys and values
}
