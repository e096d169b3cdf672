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
internal sealed class IndexMaintenance(Pile pile, PileCacheOptions options, TableIds ids, CancellationToken stop) : IDisposable
{
    private readonly IndexFiles? _files = pile.DirectoryPath == null ? null : IndexFiles.Open(pile, options.IndexDirectory);
    private KeyHash? _hash;
    private const int Quiet = 0;
    private const int Seen = 1;
    private const int Loading = 2; // whoever brings the tables back looks what turned up

    private int _damage = Loading;

    /// <summary>The hash by which keys are found in all tables.</summary>
    internal KeyHash Hash => _hash ??= _files is { WereUsable: true } ? new KeyHash(_files.Seed) : KeyHash.New();

    /// <summary>Brings the tables back.</summary>
    /// <param name="makeCore">Makes a table with its index at a place.</param>
    /// <param name="cores">Gets them by their names.</param>
    /// <param name="finishDrops">Told of tables whose drop was cut off, if there are any.</param>
    /// <param name="endDrop">Told of the id of a table whose drop was cut off, when nothing but its files is left.</param>
    /// <exception cref="PileStorageException">The files can't be used.</exception>
    internal CacheReadiness Load(
        Func<TableDefinition, IndexStorage?, TableCore> makeCore, Dictionary<string, TableCore> cores,
        Action<IReadOnlyList<TableCore>> finishDrops, Action<int> endDrop)
    {
        var opening = new IndexOpening(pile, ids, _files, makeCore);
        try
        {
            opening.Run(Hash.Seed, core => cores[core.Name] = core);
        }
        catch (Exception e)
        {
            opening.CutDrops.ForEach(static left => left.Dispose());
            if (e is IOException refused)
                throw Refused(refused);
            throw;
        }
        bool isCompared = NeedsComparison(opening);
        foreach (TableCore core in isCompared ? opening.Known.Values : [])
            core.BeginInspection();
        Task drops = opening.CutDrops.Count == 0
            ? Task.CompletedTask
            : pile.Engine.Background.Start("the end of drops that were cut off", () => finishDrops(opening.CutDrops));
        CacheReadiness readiness = opening.NeedsWalk
            ? Rebuild(opening, cores.Values, drops)
            : new CacheReadiness { WasRestored = opening.WasRestored };
        foreach (TableCore core in cores.Values)
        {
            core.Readiness = readiness;
            core.IsInUse = true;
        }
        if (isCompared)
        {
            Task others = Task.WhenAll(options.InspectsAfter, drops, readiness.Completion, pile.Recovery.Completion);
            readiness.Inspection = Inspect(opening, others, endDrop);
        }
        return readiness;
    }

    // Nothing is read whose owner wants nothing to be read. To look at the checksums of a clean stop takes time that only another start of
    // the machine has; what they prove needs no comparison, unless one was not over then, or damage turned up that none has looked for.
    private bool NeedsComparison(IndexOpening opening) =>
        (opening.WasRestored && !_files!.MustProve && (pile.Recovery.ReadsAll || !_files.WereClosed))
        || opening.LostDrops.Count != 0
        || opening.Known.Values.Any(static core => core.HasFlag(IndexHead.UncomparedFlag | IndexHead.DamagedFlag));

    private Task Inspect(IndexOpening opening, Task others, Action<int> endDrop)
    {
        TableCore[] compared = [.. opening.Known.Values];
        var inspection = new IndexInspection(
            pile, compared.ToDictionary(static core => core.Id), new Dictionary<int, ulong>(ids.Free), stop);
        return InspectAfter(others, compared, () =>
        {
            inspection.Run();
            opening.LostDrops.ForEach(endDrop);
        });
    }

    /// <summary>Makes a place for the index of a new table.</summary>
    internal IndexStorage? Create(TableDefinition definition) => _files?.Create(definition.Id, definition.FormerUpTo);

    /// <summary>What is thrown when the system refuses one of the files.</summary>
    internal PileException Refused(IOException e) => IndexFiles.Refused(e, _files?.Directory.Path ?? "memory");

    /// <summary>Removes the files of a table that was dropped.</summary>
    /// <returns><see langword="false"/> when they can't be removed now; they go when the cache is opened next.</returns>
    internal bool TryDelete(int id) =>
        _files == null || pile.Engine.Background.TryRun($"removing the index of table {id}", () => _files.Delete(id));

    /// <summary>States that the tables are back: damage that turns up from now on is noted by <see cref="ReportDamage"/>.</summary>
    internal void EndLoad() => Volatile.Write(ref _damage, Quiet);

    /// <summary>
    /// Has the pile looked through for what a damaged index misses: once, and not for each place that turns up meanwhile.
    /// </summary>
    internal void ReportDamage(Action inspect)
    {
        if (Interlocked.CompareExchange(ref _damage, Seen, Quiet) == Quiet)
            pile.Engine.Background.Queue("the look for what damaged indexes miss", inspect);
    }

    /// <summary>Compares indexes that are in use with the pile, in the background, once all other looks at them are over.</summary>
    internal Task InspectDamaged(CacheReadiness readiness, TableCore[] cores)
    {
        var byId = cores.ToDictionary(static core => core.Id);
        return InspectAfter(Task.WhenAll(readiness.Completion, readiness.Inspection), cores, () =>
        {
            foreach (TableCore core in cores)
                core.BeginLateInspection();
            Volatile.Write(ref _damage, Quiet); // what is damaged behind this look is looked for again
            new IndexInspection(pile, byId, new Dictionary<int, ulong>(), stop).Run();
        });
    }

    private async Task InspectAfter(Task others, TableCore[] cores, Action inspect)
    {
        await others.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        try
        {
            await Task.Factory.StartNew(inspect, stop, TaskCreationOptions.LongRunning, TaskScheduler.Default).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            foreach (TableCore core in cores)
                core.AbandonInspection();
            _ = Interlocked.CompareExchange(ref _damage, Quiet, Seen);
            pile.Engine.Background.ReportFailure(
                "the comparison of the tables' indexes with the pile, which the next opening does again", e);
        }
    }

    /// <summary>Writes the indexes through. Nobody changes the tables any more.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "Without that the machine's next start is followed by a walk: slower, and right.")]
    internal void Close(IEnumerable<TableCore> cores)
    {
        if (_files == null || pile.Barrier.IsClosed)
            return; // of a pile that was closed before, another process may have the files by now
        try
        {
            _files.Close(cores.Select(static core => (core.Index, (FileIndexStorage)core.Index.Storage)));
        }
        catch (Exception e)
        {
            pile.Logger.LogError(
                e, "The tables' indexes could not be written through; after another start of the machine the pile will be walked through");
        }
    }

    public void Dispose() => _files?.Dispose();

    // Behind the drops: what these free by an index, the walk would free as well.
    private CacheReadiness Rebuild(IndexOpening opening, IReadOnlyCollection<TableCore> cores, Task drops)
    {
        var readiness = new CacheReadiness();
        foreach (TableCore core in opening.Unknown.Values)
            core.BeginRebuild();
        var rebuild = new IndexRebuild(pile, opening.Unknown, new Dictionary<int, ulong>(ids.Free), readiness, stop)
        {
            Known = opening.Known.Keys.ToHashSet(),
        };
        bool waits = options.WaitsUntilReady || pile.DirectoryPath == null;
        Action walk = waits ? rebuild.RunOnce : rebuild.Run;
        var task = new Task(
            () =>
            {
                drops.Wait(stop);
                walk();
                _files?.EndWalk();
            },
            stop, TaskCreationOptions.LongRunning);
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
        pile.Engine.Background.ReportFailure("the walk for the tables' entries", task.Exception!.GetBaseException());
}
