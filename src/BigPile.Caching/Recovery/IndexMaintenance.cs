using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Recovery;

/// <summary>Opens, rebuilds, inspects and closes the indexes of all tables of a cache.</summary>
/// <param name="pile">The pile.</param>
/// <param name="options">The directory of the indexes, and what an opening waits for.</param>
/// <param name="ids">The ids of the tables.</param>
/// <param name="stop">Ends background work.</param>
internal sealed class IndexMaintenance(Pile pile, PileCacheOptions options, TableIds ids, CancellationToken stop) : IDisposable
{
    private readonly IndexFiles? _files = pile.DirectoryPath == null ? null : IndexFiles.Open(pile, options.IndexDirectory);
    private KeyHash? _hash;
    private const int Quiet = 0;
    private const int Seen = 1;
    private const int Loading = 2; // Load checks for damage itself

    private int _damage = Loading; // Quiet, Seen (an inspection is queued), or Loading; a report changes it by CAS

    /// <summary>The hash of keys in all tables.</summary>
    internal KeyHash Hash => _hash ??= _files is { WereUsable: true } ? new KeyHash(_files.Seed) : KeyHash.New();

    /// <summary>Opens all tables.</summary>
    /// <param name="makeEngine">Makes a table with its index in a storage.</param>
    /// <param name="engines">Receives the tables, by name.</param>
    /// <param name="finishDrops">Finishes drops that a kill interrupted; called if there are any.</param>
    /// <param name="endDrop">Called with the id of a table whose drop was interrupted, when only its files are left.</param>
    /// <exception cref="PileStorageException">The files can't be used.</exception>
    internal CacheReadiness Load(
        Func<TableDefinition, IndexStorage?, TableEngine> makeEngine, Dictionary<string, TableEngine> engines,
        Action<IReadOnlyList<TableEngine>> finishDrops, Action<int> endDrop)
    {
        var opening = new IndexOpening(pile.Tables, ids, _files, makeEngine);
        try
        {
            opening.Run(Hash.Seed, engine => engines[engine.Name] = engine);
        }
        catch (Exception e)
        {
            opening.CutDrops.ForEach(static left => left.Dispose());
            if (e is IOException refused)
                throw Refused(refused);
            throw;
        }
        bool isInspected = NeedsInspection(opening);
        foreach (TableEngine engine in isInspected ? opening.Known.Values : [])
            new TableInspection(engine).Begin();
        Task drops = opening.CutDrops.Count == 0
            ? Task.CompletedTask
            : pile.Tables.Background.Start("the end of drops that were cut off", () => finishDrops(opening.CutDrops));
        CacheReadiness readiness = opening.NeedsWalk
            ? Rebuild(opening, engines.Values, drops)
            : new CacheReadiness { WasRestored = opening.WasRestored };
        foreach (TableEngine engine in engines.Values)
        {
            engine.SetReadiness(readiness);
            engine.BeginUse();
        }
        if (isInspected)
        {
            Task others = Task.WhenAll(options.InspectsAfter, drops, readiness.Completion, pile.Recovery.Completion);
            readiness.InspectWith(Inspect(opening, others, endDrop));
        }
        return readiness;
    }

    // Restored indexes are inspected unless checksums have proven them, if the last owner did not close them, or if the pile's opening
    // reads all blocks anyway: where the owner wants no warm-up, a clean stop is trusted. They are also inspected if an interrupted drop
    // has lost its index, or if an earlier inspection was not completed or a damage was never inspected.
    private bool NeedsInspection(IndexOpening opening) =>
        (opening.WasRestored && !_files!.MustProve && (pile.Recovery.ReadsAll || !_files.WereClosed))
        || opening.LostDrops.Count != 0
        || opening.Known.Values.Any(static engine => engine.Index.HasFlag(IndexHead.UninspectedFlag | IndexHead.DamagedFlag));

    private Task Inspect(IndexOpening opening, Task others, Action<int> endDrop)
    {
        TableEngine[] inspected = [.. opening.Known.Values];
        var inspection = new IndexInspection(
            pile.Tables, inspected.ToDictionary(static engine => engine.Id), new Dictionary<int, ulong>(ids.Free), stop);
        return InspectAfter(others, inspected, () =>
        {
            inspection.Run();
            opening.LostDrops.ForEach(endDrop);
        });
    }

    /// <summary>Makes the index storage of a new table; null: in memory.</summary>
    internal IndexStorage? Create(TableDefinition definition) => _files?.Create(definition.Id, definition.FormerUpTo);

    /// <summary>Where the window of a table's feed lives.</summary>
    internal FeedStorage FeedOf(int tableId) => _files == null ? new MemoryFeedStorage() : new FileFeedStorage(_files, tableId);

    /// <summary>The exception for a file that the system refused.</summary>
    internal PileException Refused(IOException e) => IndexFiles.Refused(e, _files?.Directory.Path ?? "memory");

    /// <summary>Deletes the files of a dropped table.</summary>
    /// <returns><see langword="false"/> if they can't be deleted now; the next opening of the cache deletes them.</returns>
    internal bool TryDelete(int id) =>
        _files == null || pile.Tables.Background.TryRun($"removing the index of table {id}", () => _files.Delete(id));

    /// <summary>Ends the loading: <see cref="ReportDamage"/> handles damage from now on.</summary>
    internal void EndLoad() => Volatile.Write(ref _damage, Quiet);

    /// <summary>
    /// Queues one inspection that finds the entries which a damaged index misses. Further reports before it starts queue no other one.
    /// </summary>
    internal void ReportDamage(Action inspect)
    {
        if (Interlocked.CompareExchange(ref _damage, Seen, Quiet) == Quiet)
            pile.Tables.Background.Queue("the search for entries that damaged indexes miss", inspect);
    }

    /// <summary>Compares indexes in use with the pile, in the background, after any earlier rebuild and inspection.</summary>
    internal Task InspectDamaged(CacheReadiness readiness, TableEngine[] engines)
    {
        var byId = engines.ToDictionary(static engine => engine.Id);
        return InspectAfter(Task.WhenAll(readiness.Completion, readiness.Inspection), engines, () =>
        {
            foreach (TableEngine engine in engines)
                new TableInspection(engine).BeginLate();
            Volatile.Write(ref _damage, Quiet); // before the run: damage that is found from here on queues another inspection
            new IndexInspection(pile.Tables, byId, new Dictionary<int, ulong>(), stop).Run();
        });
    }

    private async Task InspectAfter(Task others, TableEngine[] engines, Action inspect)
    {
        await others.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        try
        {
            await Task.Factory.StartNew(inspect, stop, TaskCreationOptions.LongRunning, TaskScheduler.Default).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            foreach (TableEngine engine in engines)
                new TableInspection(engine).Abandon();
            _ = Interlocked.CompareExchange(ref _damage, Quiet, Seen);
            pile.Tables.Background.ReportFailure(
                "the inspection of the tables' indexes, which the next opening does again", e);
        }
    }

    /// <summary>Writes the indexes through. Nobody changes the tables any more.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "Without that the machine's next start is followed by a walk: slower, and right.")]
    internal void Close(IReadOnlyCollection<TableEngine> engines)
    {
        if (_files == null || pile.Tables.IsClosed)
            return; // the pile was closed before: another process may use the files by now
        try
        {
            _files.Close(
                engines.Select(static engine => (engine.Index, (FileIndexStorage)engine.Index.Storage)),
                engines.Select(static engine => (FileFeedStorage)engine.Feed.Storage));
        }
        catch (Exception e)
        {
            pile.Tables.Logger.LogError(
                e, "The tables' indexes could not be written through. After a restart of the machine they will be rebuilt by a walk");
        }
    }

    public void Dispose() => _files?.Dispose();

    // The walk starts after the drops: both would free the same blocks.
    private CacheReadiness Rebuild(IndexOpening opening, IReadOnlyCollection<TableEngine> engines, Task drops)
    {
        var readiness = new CacheReadiness();
        foreach (TableEngine engine in opening.Unknown.Values)
            engine.Visibility.BeginRebuild(pile.Tables.Versions.Last);
        var rebuild = new IndexRebuild(pile.Tables, opening.Unknown, new Dictionary<int, ulong>(ids.Free), readiness, stop)
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
        readiness.CompleteWith(task);
        foreach (TableEngine engine in engines)
            engine.SetReadiness(readiness);
        task.Start(TaskScheduler.Default);
        if (waits)
            task.GetAwaiter().GetResult();
        else
            _ = task.ContinueWith(ReportFailure, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return readiness;
    }

    private void ReportFailure(Task task) =>
        pile.Tables.Background.ReportFailure("the walk for the tables' entries", task.Exception!.GetBaseException());
}
