using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Threading;

namespace BigPile.Perf.Restarts;

/// <summary>
/// Fills a table in a second process, and opens it again: after it was closed, after a kill, and without its index; each time in a new
/// process, and once more in this one.
/// </summary>
/// <remarks>In a new process the time of a call has that of its compilation in it. In this one a small table came first.</remarks>
internal sealed class TableRestartLoad
{
    private const string RehearsalName = "rehearsal";

    private static readonly int RehearsedEntries = Brevity.Of(usual: 10_000, brief: 100);
    private static readonly TableState[] RehearsedStates = Brevity.IsWanted ? [TableState.Closed] : Enum.GetValues<TableState>();

    private readonly TableRestartOptions _options;
    private readonly TablePlace _place;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;

    private TableRestartLoad(TableRestartOptions options, TablePlace place, ILoadProgress progress, CancellationToken stop)
    {
        _options = options;
        _place = place;
        _progress = progress;
        _stop = stop;
    }

    /// <summary>Runs the load from nothing to nothing.</summary>
    internal static TableRestartReport Run(TableRestartOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory directory = WorkDirectory.Create(options.Directory);
        Rehearse(options, directory, stop);
        using IndexDirectory indexes = IndexDirectory.Create(options.IndexDirectory);
        var place = new TablePlace(directory.PilePath, indexes.Path);
        return new TableRestartLoad(options, place, progress, stop).Run();
    }

    private static void Rehearse(TableRestartOptions options, WorkDirectory directory, CancellationToken stop)
    {
        using WorkDirectory small = WorkDirectory.Create(Path.Combine(directory.Path, RehearsalName));
        using IndexDirectory indexes = IndexDirectory.Create(options.IndexDirectory);
        TableRestartOptions few = options with { Entries = Math.Min(options.Entries, RehearsedEntries) };
        var load = new TableRestartLoad(few, new TablePlace(small.PilePath, indexes.Path), new NoProgress(), stop);
        load.Fill();
        foreach (TableState state in RehearsedStates)
            load.OpenHere(state);
    }

    private TableRestartReport Run()
    {
        _progress.Begin("fill", 1);
        TableFillFigures fill = Fill();
        return new TableRestartReport
        {
            Entries = _options.Entries,
            ValueBytes = _options.ValueBytes,
            ReservedBytes = fill.ReservedBytes,
            IndexBytes = _place.IndexBytes,
            IndexDirectory = _options.IndexDirectory,
            FillSeconds = Figure.Rounded(fill.FillSeconds, 3),
            CloseSeconds = Figure.Rounded(fill.CloseSeconds, 3),
            Rounds = TableRestartOptions.Rounds,
            AfterClose = Open("after it was closed", TableState.Closed, TableRestartOptions.Rounds),
            AfterKill = Open("after its owner was killed", TableState.Killed, TableRestartOptions.Rounds),
            WithoutIndex = Open("without its index", TableState.WithoutIndex, 1),
        };
    }

    private TableOpenPair Open(string phase, TableState state, int rounds)
    {
        var inNewProcess = new List<TableOpenFigures>();
        var inSameProcess = new List<TableOpenFigures>();
        _progress.Begin(phase, rounds);
        for (int round = 0; round < rounds; round++)
        {
            inNewProcess.Add(OpenInNewProcess(state));
            inSameProcess.Add(OpenHere(state));
            _progress.Report(round + 1);
        }
        return new TableOpenPair(TableOpenFigures.Median(inNewProcess), TableOpenFigures.Median(inSameProcess));
    }

    private TableOpenFigures OpenHere(TableState state)
    {
        ChurnFigures? churn = Leave(state);
        return TableOpening.Measure(_options, _place, state, churn);
    }

    private TableOpenFigures OpenInNewProcess(TableState state)
    {
        ChurnFigures? churn = Leave(state);
        using WorkerProcess worker = Start(state.ToString());
        worker.Tell(JsonReport.Write(churn));
        string line = worker.ReadLine();
        worker.WaitUntilDone();
        return JsonReport.Read<TableOpenFigures>(line)!;
    }

    /// <summary>Brings the table into a state from being closed, and its files into the system's cache.</summary>
    private ChurnFigures? Leave(TableState state)
    {
        _stop.ThrowIfCancellationRequested();
        ChurnFigures? churn = null;
        if (state == TableState.Killed)
            churn = ChurnAndKill();
        else if (state == TableState.WithoutIndex)
            _place.RemoveIndex();
        _place.Warm();
        return churn;
    }

    private ChurnFigures ChurnAndKill()
    {
        using WorkerProcess worker = Start(TableWorker.Churn);
        ChurnFigures churn = JsonReport.Read<ChurnFigures>(worker.ReadLine())!;
        worker.Kill();
        return churn;
    }

    private TableFillFigures Fill()
    {
        using WorkerProcess worker = Start(TableWorker.Fill);
        string line = worker.ReadLine();
        worker.WaitUntilDone();
        return JsonReport.Read<TableFillFigures>(line)!;
    }

    private WorkerProcess Start(string role)
    {
        List<string> options = ["--entries", Text(_options.Entries), "--value-bytes", Text(_options.ValueBytes)];
        if (_place.IndexPath is { } path)
            options.AddRange(["--index-dir", path]);
        return WorkerProcess.Start(role, _place.PilePath, options);
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}
