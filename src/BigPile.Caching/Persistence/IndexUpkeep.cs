using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Persistence;

/// <summary>The indexes of a cache's tables as a whole: brought back, filled by a walk, compared with the pile, and closed.</summary>
/// <param name="pile">The pile.</param>
/// <param name="options">Where the indexes are, and what is waited for.</param>
/// <param name="ids">Which tables there are.</param>
/// <param name="stop">Ends what runs in the background.</param>
internal sealed class IndexUpkeep(Pile pile, PileCacheOptions options, TableIds ids, CancellationToken stop) : IDisposable
{
    private readonly IndexFiles? _files = pile.DirectoryPath == null ? null : IndexFiles.Open(pile, options.IndexDirectory);
    private KeyHash? _hash;
    private int _isDamageNoted;

    /// <summary>The hash by which keys are found in all tables.</summary>
    internal KeyHash Hash => _hash ??= _files is { WereUsable: true } ? new KeyHash(_files.Seed) : KeyHash.New();

    /// <summary>Brings the tables back.</summary>
    /// <param name="makeCore">Makes a table with its index at a place.</param>
    /// <param name="cores">Gets them by their names.</param>
    /// <param name="finishDrops">Told of tables whose drop was cut off, if there are any.</param>
    /// <exception cref="PileStorageException">The files can't be used.</exception>
    internal CacheReadiness Load(
        Func<TableDefinition, IndexPlace?, TableCore> makeCore, Dictionary<string, TableCore> cores,
        Action<IReadOnlyList<(int Id, TableCore? Left)>> finishDrops)
    {
        var opening = new IndexOpening(pile, ids, _files, makeCore);
        try
        {
            opening.Run(Hash.Seed, core => cores[core.Name] = core);
        }
        catch (IOException e)
        {
            throw IndexFiles.Refused(e, pile.DirectoryPath!);
        }
        if (opening.CutDrops.Count != 0)
            pile.Keeper.Background.Queue("the end of drops that were cut off", () => finishDrops(opening.CutDrops));
        if (opening.NeedsWalk)
            return Rebuild(opening, cores.Values);
        var readiness = new CacheReadiness { WasRestored = opening.WasRestored };
        foreach (TableCore core in cores.Values)
            core.Readiness = readiness;
        if (opening.WasRestored && _files is { WereClosed: false })
            readiness.Inspection = Inspect([.. opening.Known.Values]);
        return readiness;
    }

    /// <summary>Makes a place for the index of a new table.</summary>
    internal IndexPlace? Create(TableDefinition definition) => _files?.Create(definition.Id, definition.FormerUpTo);

    /// <summary>Removes the files of a table that was dropped.</summary>
    /// <returns><see langword="false"/> when they can't be removed now; they go when the cache is opened next.</returns>
    internal bool TryDelete(int id) =>
        _files == null || pile.Keeper.Background.TryRun($"removing the index of table {id}", () => _files.Delete(id));

    /// <summary>
    /// Has the pile looked through for what a damaged index misses: once, and not for each place that turns up meanwhile.
    /// </summary>
    internal void NoteDamage(Action inspect)
    {
        if (Interlocked.Exchange(ref _isDamageNoted, 1) == 0)
            pile.Keeper.Background.Queue("the look for what damaged indexes miss", inspect);
    }

    /// <summary>Compares indexes with the pile, in the background.</summary>
    internal Task Inspect(TableCore[] cores)
    {
        foreach (TableCore core in cores)
            core.IsChecked = true;
        var inspection = new IndexInspection(pile, cores.ToDictionary(static core => core.Id), stop);
        Task task = options.InspectsAfter.ContinueWith(
            _ => inspection.Run(), stop, TaskContinuationOptions.LongRunning, TaskScheduler.Default);
        _ = task.ContinueWith(ReportFailure, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return task;
    }

    /// <summary>Writes the indexes through. Nobody changes the tables any more.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "Without that the machine's next start is followed by a walk: slower, and right.")]
    internal void Close(IEnumerable<TableCore> cores)
    {
        if (_files == null || pile.Gate.IsClosed)
            return; // of a pile that was closed before, another process may have the files by now
        try
        {
            _files.Close(cores.Select(static core => (core.Index, (FilePlace)core.Index.Place)));
        }
        catch (Exception e)
        {
            pile.Logger.LogError(
                e, "The tables' indexes could not be written through; after another start of the machine the pile will be walked through");
        }
    }

    public void Dispose() => _files?.Dispose();

    private CacheReadiness Rebuild(IndexOpening opening, IReadOnlyCollection<TableCore> cores)
    {
        var readiness = new CacheReadiness();
        foreach (TableCore core in opening.Unknown.Values)
            core.BeginRebuild();
        var rebuild = new IndexRebuild(pile, opening.Unknown, new Dictionary<int, ulong>(ids.Free), readiness, stop)
        {
            Known = opening.Known.Keys.ToHashSet(),
        };
        bool waits = options.WaitsUntilReady || pile.DirectoryPath == null;
        var task = new Task(waits ? rebuild.RunOnce : rebuild.Run, stop, TaskCreationOptions.LongRunning);
        readiness.Completion = task;
        foreach (TableCore core in cores)
            core.Readiness = readiness;
        task.Start(TaskScheduler.Default);
        if (waits)
            task.GetAwaiter().GetResult();
        else
            _ = task.ContinueWith(ReportFailure, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return readiness;
    }

    private void ReportFailure(Task task) =>
        pile.Keeper.Background.NoteFailure("the walk for the tables' entries", task.Exception!.GetBaseException());
}
