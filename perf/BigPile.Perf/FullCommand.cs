using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Linq;
using BigPile.AspNetCore.Configuration;
using BigPile.Perf.FullPiles;

namespace BigPile.Perf;

/// <summary>The command <c>full</c>.</summary>
internal sealed class FullCommand : ReportCommand<FullOptions, object>
{
    private static readonly FullOptions Defaults = new();

    private readonly Option<FullKind[]> _kinds = LoadOption.Names<FullKind>("--kind", "What holds the entries");
    private readonly Option<long> _pile = new("--pile")
    {
        Description = "The most that the pile may take.",
        DefaultValueFactory = _ => Defaults.PileBytes,
        CustomParser = ParseSize,
        HelpName = "256m",
    };

    private readonly Option<int> _seconds = LoadOption.Seconds("How long each kind is loaded.", Defaults.Seconds);
    private readonly Option<StoreKind> _store = LoadOption.Store();
    private readonly Option<int> _seed = LoadOption.Number("--seed", "Decides the keys.", Defaults.Seed, int.MaxValue, min: 0);
    private readonly Option<bool> _shares = new("--shares")
    {
        Description = "Three tables give way to each other, to a durable one and to objects, instead: in which shares, and how fast.",
    };

    internal FullCommand(TextWriter output)
        : base(output, "full",
            "Puts far more into a pile than its limit, as tables and caches do that give way, or refuse, and compares the hits with those "
                + "of a table with the same limit in bytes.",
            static (options, progress, stop) =>
                options.IsOfShares ? SharesRunner.Run(options, progress, stop) : FullRunner.Run(options, progress, stop))
    {
        AddOptions(_kinds, _pile, _seconds, _store, _seed, _shares);
        Validators.Add(RefuseMixture);
    }

    protected override FullOptions Read(ParseResult arguments) => new()
    {
        Kinds = [.. arguments.GetRequiredValue(_kinds).Distinct().Order()],
        PileBytes = arguments.GetValue(_pile),
        Seconds = arguments.GetValue(_seconds),
        Store = arguments.GetValue(_store),
        Seed = arguments.GetValue(_seed),
        IsOfShares = arguments.GetValue(_shares),
    };

    protected override int ExitCodeOf(object report) =>
        report is SharesReport { LostEntries: not 0 } or SharesReport { LostObjects: not 0 }
        || (report is IReadOnlyList<FullRow> rows && rows.Any(static row => row.Exceptions != 0))
            ? PerfApp.Failed
            : 0;

    private void RefuseMixture(CommandResult command)
    {
        if (IsGiven(command, _shares) && (IsGiven(command, _kinds) || IsGiven(command, _seconds)))
            command.AddError("--shares has tables of its own, and takes the time that it needs. Leave out --kind and --seconds.");
    }

    private static long ParseSize(ArgumentResult result)
    {
        string text = LoadOption.TextOf(result);
        if (!ByteSize.TryParse(text, out long bytes) || bytes < FullOptions.MinPileBytes || bytes > FullOptions.MaxPileBytes)
            result.AddError($"--pile '{text}' is out of range. It must be a size from 8m to 64g.");
        return bytes;
    }
}

/// <summary>What the load of a full pile is asked to do.</summary>
internal sealed record FullOptions
{
    internal const long MinPileBytes = 8L << 20;
    internal const long MaxPileBytes = 64L << 30; // the numbers of the keys are of an int

    internal IReadOnlyList<FullKind> Kinds { get; init; } = []; // what holds the entries, one after the other
    internal long PileBytes { get; init; } = 256L << 20; // the pile's limit
    internal int Seconds { get; init; } = 60; // how long each kind is loaded
    internal StoreKind Store { get; init; } = StoreKind.Native; // where the pile keeps its segments
    internal int Seed { get; init; } // decides the keys
    internal bool IsOfShares { get; init; } // the load of several tables instead

    /// <summary>The options of the pile.</summary>
    internal PileOptions PileOptions(WorkDirectory? directory) =>
        new() { Store = Store, Directory = directory?.PilePath, MaxBytes = PileBytes };
}

/// <summary>What holds the entries of a full pile.</summary>
internal enum FullKind
{
    Speculative, // a table, which gives way by default
    Durable, // a durable table that gives way
    DurableRefused, // one that does not
    Hybrid, // a HybridCache, which gives way by default
    Output, // an output cache, which gives way as it does by default
    Distributed, // an IDistributedCache that gives way
    DistributedRefused, // one that does not
}
