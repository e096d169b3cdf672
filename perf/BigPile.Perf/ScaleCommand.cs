using System;
using System.CommandLine;
using System.IO;
using BigPile.Perf.Scales;

namespace BigPile.Perf;

/// <summary>The command <c>scale</c>.</summary>
internal sealed class ScaleCommand : ReportCommand<ScaleOptions, ScaleReport>
{
    private static readonly ScaleOptions Defaults = new();

    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<int> _mebibytes = LoadOption.Mebibytes(Defaults.Mebibytes, ScaleOptions.MaxMebibytes);
    private readonly Option<int> _threads = LoadOption.Threads("How many threads work.", Defaults.Threads);
    private readonly Option<string?> _directory = LoadOption.Directory();
    private readonly Option<int> _operations = LoadOption.Number(
        "--operations", "How many operations each phase does, whatever the size.", Defaults.Operations, ScaleOptions.MaxOperations);

    internal ScaleCommand(TextWriter output)
        : base(output, "scale",
            "Fills a pile to a size with objects of 100 bytes, and measures the same number of gets and puts all over it at any size, "
                + "with the times of single ones.",
            ScaleLoad.Run) => AddOptions(_store, _mebibytes, _threads, _operations, _directory);

    protected override ScaleOptions Read(ParseResult arguments)
    {
        LoadOption.RequireMapped(arguments.GetValue(_store), arguments.GetValue(_directory));
        return new ScaleOptions
        {
            Store = arguments.GetValue(_store),
            Mebibytes = arguments.GetValue(_mebibytes),
            Threads = arguments.GetValue(_threads),
            Operations = arguments.GetValue(_operations),
            Directory = arguments.GetValue(_directory),
        };
    }
}

/// <summary>What the scale load is asked to do.</summary>
internal sealed record ScaleOptions
{
    internal const int MaxMebibytes = 1 << 20;
    internal const int MaxOperations = 1_000_000_000;

    /// <summary>The bytes of each object.</summary>
    internal const int PayloadBytes = 100;

    internal StoreKind Store { get; init; } = StoreKind.Native;
    internal int Mebibytes { get; init; } = 1024; // mebibytes of payloads and headers
    internal int Threads { get; init; } = 1;
    internal int Operations { get; init; } = 4_000_000; // the operations of each phase, whatever the number of objects
    internal string? Directory { get; init; } // the user's directory for a mapped pile; null for a temporary one

    /// <summary>The number of objects: at least one for each thread.</summary>
    internal int Count => (int)Math.Clamp(Mebibytes * (1L << 20) / (PayloadBytes + 8), Threads, Array.MaxLength);

    /// <summary>About the most bytes that the pile takes.</summary>
    internal long PileBytes => Count * (PayloadBytes + 8L) * 9 / 8;
}
