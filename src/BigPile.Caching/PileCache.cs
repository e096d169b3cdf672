using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Clocks;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Operations;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching;

/// <summary>The tables of a pile, by name.</summary>
/// <remarks>
/// One cache serves a pile at a time. On a mapped pile the tables that were there before come back with all their entries: at once when
/// the last cache was disposed, and otherwise by a walk in the background; see <see cref="Readiness"/>.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public sealed partial class PileCache : IDisposable
{
    private readonly Lock _lock = new();
    private readonly Lock _dropping = new();
    private readonly PileCacheOptions _options;
    private readonly CacheClock _clock;
    private readonly Dictionary<string, TableCore> _cores = new(StringComparer.Ordinal);
    private readonly HashSet<string> _hidden = new(StringComparer.Ordinal);
    private readonly Dictionary<(string Name, Type ValueType), CacheTable> _tables = [];
    private readonly CancellationTokenSource _stopping = new();
    private readonly Sweeper _sweeper;
    private readonly CacheMeter _meter;
    private readonly TableIds _ids;
    private readonly IndexFiles? _files; // of a mapped pile
    private readonly KeyHash _hash;
    private TableOptions _defaults;
    private bool _disposed;
    private int _isDamageNoted;

    /// <summary>Makes the cache of a pile, with the tables that the pile holds.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="ownsPile">Whether disposing the cache disposes the pile.</param>
    public PileCache(Pile pile, bool ownsPile = false) : this(pile, new PileCacheOptions { OwnsPile = ownsPile })
    {
    }

    /// <summary>Makes the cache of a pile, with the tables that the pile holds.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="options">Everything else.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="PileStorageException">The pile's tables were written by an older version that this one can't read.</exception>
    public PileCache(Pile pile, PileCacheOptions options)
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(options.TimeProvider);
        if (pile.IsReadOnly)
            throw new ArgumentException("Tables need a pile that can be changed: open it without PileOptions.ReadOnly.", nameof(pile));
        ArgumentOutOfRangeException.ThrowIfLessThan(options.SweepPeriod, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(options.SweepBuckets, 1);
        Pile = pile;
        _options = options;
        _defaults = CheckDefaults(options.DefaultTableOptions);
        _clock = new CacheClock(options.TimeProvider, pile.Keeper.Id, pile.Keeper.Versions.Last);
        _ids = new TableIds(pile.Keeper.Catalog);
        _files = pile.DirectoryPath == null ? null : IndexFiles.Open(pile, options.IndexDirectory);
        _hash = _files is { WereUsable: true } ? new KeyHash(_files.Seed) : KeyHash.New();
        try
        {
            Readiness = Load();
        }
        catch (Exception e)
        {
            DisposeTables();
            if (e is IOException)
                throw IndexFiles.Refused(e, pile.DirectoryPath!);
            throw;
        }
        _sweeper = new Sweeper(pile.Keeper.Background, options, _clock, Cores);
        _meter = new CacheMeter(MeteredTables);
    }

    /// <summary>The pile that holds keys and values.</summary>
    public Pile Pile { get; }

    /// <summary>How far the cache is in finding the entries of its pile again.</summary>
    public CacheReadiness Readiness { get; }

    /// <summary>The options of tables that are made or first used later and have none of their own; the name is <c>"*"</c>.</summary>
    /// <exception cref="ArgumentException">An option is out of its range, or the name is another one.</exception>
    public TableOptions DefaultTableOptions
    {
        get => Volatile.Read(ref _defaults);
        set => Volatile.Write(ref _defaults, CheckDefaults(value));
    }

    /// <summary>The names of all tables, in ordinal order; those that a service keeps for itself are left out.</summary>
    public IReadOnlyList<string> TableNames
    {
        get
        {
            lock (_lock)
                return [.. _cores.Keys.Where(name => !_hidden.Contains(name)).Order(StringComparer.Ordinal)];
        }
    }

    /// <summary>Whether <see cref="TableNames"/> has a name.</summary>
    internal bool HasTable(string name)
    {
        lock (_lock)
            return _cores.ContainsKey(name) && !_hidden.Contains(name);
    }

    /// <summary>Whether <see cref="TableNames"/> has a name, of a table with keys of another kind.</summary>
    internal bool HasTableOfOtherKeys<TKey>(string name)
        where TKey : notnull
    {
        lock (_lock)
            return _cores.TryGetValue(name, out TableCore? core) && !_hidden.Contains(name) && core.KeyKind != KeyCodec<TKey>.Kind;
    }

    /// <summary>The number of <see cref="TableNames"/>.</summary>
    internal int TableCount
    {
        get
        {
            lock (_lock)
                return _cores.Count - _hidden.Count(_cores.ContainsKey);
        }
    }

    /// <summary>Leaves a table out of <see cref="TableNames"/>, or no longer.</summary>
    internal void Hide(string name, bool isHidden)
    {
        lock (_lock)
            _ = isHidden ? _hidden.Add(name) : _hidden.Remove(name);
    }

    /// <summary>What a table holds, whatever its types.</summary>
    /// <exception cref="KeyNotFoundException">There is no such table.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public TableStatistics GetStatistics(string name)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _cores.TryGetValue(name, out TableCore? core)
                ? core.Statistics
                : throw new KeyNotFoundException($"There is no table '{name}'.");
        }
    }

    /// <summary>
    /// Frees the indexes once the calls that run have ended, and the pile if the cache owns it. On a mapped pile all entries stay, and the
    /// indexes are saved.
    /// </summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            ThreadPresence.RefuseInside();
            _disposed = true;
        }
        _dropping.Enter(); // a drop that runs is finished first
        _dropping.Exit();
        _stopping.Cancel();
        _sweeper.Dispose();
        _meter.Dispose();
        ((IAsyncResult)Readiness.Completion).AsyncWaitHandle.WaitOne();
        ((IAsyncResult)Readiness.Inspection).AsyncWaitHandle.WaitOne();
        foreach (TableCore core in _cores.Values)
            core.Close();
        ThreadPresence.WaitForOthers();
        if (_clock.IsAhead)
            Pile.Keeper.Background.TryRun("the note of the time", () => Pile.Keeper.Versions.Next(_clock.VersionAt(_clock.Now)));
        CloseIndexes();
        try
        {
            if (_options.OwnsPile)
                Pile.Dispose();
        }
        finally
        {
            DisposeTables();
            _stopping.Dispose();
        }
    }

    private void DisposeTables()
    {
        foreach (TableCore core in _cores.Values)
            core.Dispose();
        _files?.Dispose();
    }

    internal TableCore[] Cores()
    {
        lock (_lock)
            return _disposed ? [] : [.. _cores.Values];
    }

    private MeteredTable[] MeteredTables() => Array.ConvertAll(
        Cores(), static core => new MeteredTable(core.Name, core.Options, core.Figures, core.Statistics));

    private static TableOptions CheckDefaults(TableOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        if (options.Name != TableOptions.AnyName)
            throw new ArgumentException($"The options of all tables have the name '*', and these have '{options.Name}'.", nameof(options));
        options.Validate();
        return options;
    }

    private CacheReadiness Load()
    {
        var opening = new IndexOpening(
            Pile, _ids, _files, (definition, place) => NewCore(definition, FirstOptions(definition.Name), wasFound: true, place: place));
        opening.Run(_hash.Seed, core => _cores[core.Name] = core);
        if (opening.CutDrops.Count != 0)
            Pile.Keeper.Background.Queue("the end of drops that were cut off", () => FinishDrops(opening.CutDrops));
        if (opening.NeedsWalk)
            return Rebuild(opening);
        var readiness = new CacheReadiness { WasRestored = opening.WasRestored };
        foreach (TableCore core in _cores.Values)
            core.Readiness = readiness;
        if (opening.WasRestored && _files is { WereClosed: false })
            readiness.Inspection = Inspect(opening.KnownCores);
        return readiness;
    }

    private Task Inspect(IReadOnlyDictionary<int, TableCore> cores)
    {
        foreach (TableCore core in cores.Values)
            core.IsChecked = true;
        var inspection = new IndexInspection(Pile, cores, _stopping.Token);
        Task task = _options.InspectsAfter.ContinueWith(
            _ => inspection.Run(), _stopping.Token, TaskContinuationOptions.LongRunning, TaskScheduler.Default);
        _ = task.ContinueWith(ReportFailure, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return task;
    }

    // A table notes that its index is damaged; what it misses is looked for once, and not for each place that turns up meanwhile.
    private void NoteDamage()
    {
        if (Interlocked.Exchange(ref _isDamageNoted, 1) == 0)
            Pile.Keeper.Background.Queue("the look for what damaged indexes miss", InspectDamaged);
    }

    private void InspectDamaged()
    {
        lock (_lock)
        {
            if (!_disposed && Readiness is { IsReady: true, Inspection.IsCompleted: true })
                Readiness.Inspection = Inspect(_cores.Values.ToDictionary(static core => core.Id));
        }
    }

    // Until the application says how a table is to behave, nothing goes from it.
    private static TableOptions FirstOptions(string name) => new(name) { CollisionMode = CollisionMode.Durable };

    private CacheReadiness Rebuild(IndexOpening opening)
    {
        var readiness = new CacheReadiness();
        foreach (TableCore core in opening.Unknown.Values)
            core.BeginRebuild();
        var rebuild = new IndexRebuild(Pile, opening.Unknown, new Dictionary<int, ulong>(_ids.Free), readiness, _stopping.Token)
        {
            Known = opening.Known,
        };
        bool waits = _options.WaitsUntilReady || Pile.DirectoryPath == null;
        var task = new Task(waits ? rebuild.RunOnce : rebuild.Run, _stopping.Token, TaskCreationOptions.LongRunning);
        readiness.Completion = task;
        foreach (TableCore core in _cores.Values)
            core.Readiness = readiness;
        task.Start(TaskScheduler.Default);
        if (waits)
            task.GetAwaiter().GetResult();
        else
            _ = task.ContinueWith(ReportFailure, CancellationToken.None, TaskContinuationOptions.OnlyOnFaulted, TaskScheduler.Default);
        return readiness;
    }

    private void ReportFailure(Task task) =>
        Pile.Keeper.Background.NoteFailure("the walk for the tables' entries", task.Exception!.GetBaseException());

    [SuppressMessage(
        "Design", "CA1031", Justification = "Without that, what follows the machine's next start is a walk through the pile: slower, and right.")]
    private void CloseIndexes()
    {
        if (_files == null || !Readiness.IsReady)
            return;
        try
        {
            _files.Close(_cores.Values.Select(static core => (core.Index, (FilePlace)core.Index.Place)));
        }
        catch (Exception e)
        {
            Pile.Logger.LogError(
                e, "The tables' indexes could not be written through; after another start of the machine the pile will be walked through");
        }
    }
}
