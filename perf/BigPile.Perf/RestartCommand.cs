using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Restarts;

namespace BigPile.Perf;

/// <summary>The command <c>restart</c>.</summary>
internal sealed class RestartCommand : ReportCommand<TableRestartOptions, TableRestartReport>
{
    private static readonly TableRestartOptions Defaults = new();

    private readonly Option<int> _entries = LoadOption.Number(
        "--entries", "How many entries the table has.", Defaults.Entries, TableRestartOptions.MaxEntries);
    private readonly Option<int> _valueBytes = LoadOption.ValueBytes(Defaults.ValueBytes);
    private readonly Option<string?> _directory = LoadOption.Path(
        "--dir", "An empty or missing directory for the pile's files, which are removed at the end. Temporary by default.");
    private readonly Option<string?> _indexDirectory = LoadOption.Path(
        "--index-dir", "A directory for the table's index, such as one in shared memory. With the pile by default.");
    private readonly Option<string?> _worker = new("--worker") { Hidden = true };

    internal RestartCommand(TextWriter output)
        : base(output, "restart",
            "Fills a durable table in a second process, and opens it again: after it was closed, after a kill, and without its index.",
            TableRestartLoad.Run)
    {
        AddOptions(_entries, _valueBytes, _directory, _indexDirectory);
        Add(_worker);
    }

    protected override int Execute(ParseResult arguments, CancellationToken stop) => arguments.GetValue(_worker) is { } role
        ? TableWorker.Run(role, Read(arguments), Console.In, Output)
        : base.Execute(arguments, stop);

    protected override TableRestartOptions Read(ParseResult arguments) => new()
    {
        Entries = arguments.GetValue(_entries),
        ValueBytes = arguments.GetValue(_valueBytes),
        Directory = arguments.GetValue(_directory),
        IndexDirectory = arguments.GetValue(_indexDirectory),
    };
}

/// <summary>What the restart load of tables is asked to do.</summary>
internal sealed record TableRestartOptions
{
    internal const int MaxEntries = 1_000_000_000;

    /// <summary>Of so many entries one is compared.</summary>
    internal const int ComparedOneIn = 1000;

    /// <summary>How often each way to open is measured.</summary>
    internal static readonly int Rounds = Brevity.Of(usual: 3, brief: 1);

    internal int Entries { get; init; } = 1_000_000; // the entries that fill the table
    internal int ValueBytes { get; init; } = 60;
    internal string? Directory { get; init; } // the user's directory; null for a temporary one
    internal string? IndexDirectory { get; init; } // the user's directory for the index; null: it lies with the pile
}
