using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;
using BigPile.Telemetry;

namespace BigPile.Caching;

/// <summary>The tables of a pile, by name.</summary>
/// <remarks>
/// A pile has one cache at a time. On a mapped pile, tables are recovered with all their entries: at once after a clean stop and after a
/// kill, and by a walk in the background after a restart of the machine; see <see cref="Readiness"/>.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public sealed partial class PileCache : IDisposable
{
    private readonly Lock _lock = new(); // guards names, tables and ids; held for no walk
    private readonly Lock _dropping = new(); // held for a whole drop; before _lock
    private readonly PileCacheOptions _options;
    private readonly FactoryLimits _factoryLimits; // of all tables
    private readonly CacheClock _clock; // of all tables
    private readonly Dictionary<string, TableEngine> _engines = new(StringComparer.Ordinal); // by name; under _lock
    private readonly HashSet<string> _hidden = new(StringComparer.Ordinal); // names that a service hides; under _lock
    private readonly Dictionary<(string Name, Type ValueType), CacheTable> _tables = []; // typed facades; under _lock
    private readonly CancellationTokenSource _stopping = new(); // ends walks and inspections
    private readonly Sweeper _sweeper;
    private readonly PileCapacity _capacity; // which of its tables give way when the pile is full
    private readonly TableIds _ids; // changed under _lock
    private readonly IndexMaintenance _indexes; // index files, rebuild, inspection
    private readonly Action _reportDamage; // given to each table
    private TableOptions _defaults; // replaced as a whole
    private bool _disposed; // written under _lock

    /// <summary>Creates the cache of a pile, with the tables that the pile holds.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="ownsPile">Whether disposing the cache disposes the pile.</param>
    public PileCache(Pile pile, bool ownsPile = false) : this(pile, new PileCacheOptions { OwnsPile = ownsPile })
    {
    }

    /// <summary>Creates the cache of a pile, with the tables that the pile holds.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="options">The options.</param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">The pile has a cache already.</exception>
    /// <exception cref="PileStorageException">
    /// The tables were written by a version that this one can't read, or under a clock past 2248; or the index files can't be used, as when
    /// the process has no mappings left. <see cref="PileFullException"/> where an index can't grow.
    /// </exception>
    public PileCache(Pile pile, PileCacheOptions options)
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentNullException.ThrowIfNull(options);
        if (pile.IsReadOnly)
            throw new ArgumentException("Tables need a pile that can be changed: open it without PileOptions.ReadOnly.", nameof(pile));
        options.Validate();
        CacheClock.RefuseBeyondVersions(pile);
        SpillDirectory.Prepare(options.SpillDirectory);
        Pile = pile;
        _options = options;
        _factoryLimits = new FactoryLimits(options.MaxFactories, options.MaxRefreshes);
        _defaults = TableOptions.CheckDefaults(options.DefaultTableOptions);
        _reportDamage = () => _indexes!.ReportDamage(InspectDamaged);
        PastActivity opening = pile.DirectoryPath == null ? default : PastActivity.Begin();
        if (!pile.Tables.TryTakeTables(_capacity = new PileCapacity(pile.Tables) { IsSpilling = options.SpillDirectory != null }))
            throw new InvalidOperationException(
                "The pile has a cache already, which serves it until it is disposed. Use that one, or dispose of it first.");
        try
        {
            _clock = new CacheClock(options.TimeProvider, pile.Tables.Id, pile.Tables.Versions.Last);
            _ids = new TableIds(pile.Tables.Catalog);
            _indexes = new IndexMaintenance(pile, options, _ids, _stopping.Token);
            Readiness = _indexes.Load(
                (definition, place) => NewEngine(definition, FirstOptions(definition.Name), wasFound: true, place: place), _engines,
                FinishDrops, DeleteFilesOf);
            _indexes.EndLoad();
        }
        catch (Exception e)
        {
            GiveUp();
            PileActivity.Record(CacheTelemetry.OpenActivity, PileTelemetry.PileNameTag, pile.Name, opening, e);
            throw;
        }
        _capacity.Monitor(options);
        _sweeper = new Sweeper(pile, options, _clock, Engines);
        CacheMeter.Of(pile.Tables.Meter).Add(MeteredTables);
        PileActivity.RecordAfter(Readiness.Completion, CacheTelemetry.OpenActivity, PileTelemetry.PileNameTag, pile.Name, opening);
    }

    /// <summary>The pile that holds keys and values.</summary>
    public Pile Pile { get; }

    /// <summary>The progress of recovering the entries of the pile.</summary>
    public CacheReadiness Readiness { get; }

    /// <summary>The options of tables that are created or first used later without options of their own; the name is <c>"*"</c>.</summary>
    /// <exception cref="ArgumentException">An option is out of its range, or the name is another one.</exception>
    public TableOptions DefaultTableOptions
    {
        get => Volatile.Read(ref _defaults);
        set => Volatile.Write(ref _defaults, TableOptions.CheckDefaults(value));
    }

    /// <summary>The names of all tables, in ordinal order, without those that are hidden.</summary>
    public IReadOnlyList<string> TableNames
    {
        get
        {
            lock (_lock)
                return [.. _engines.Keys.Where(name => !_hidden.Contains(name)).Order(StringComparer.Ordinal)];
        }
    }

    /// <summary>Whether <see cref="TableNames"/> has a name, whatever the table's keys are.</summary>
    public bool ContainsTable(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_lock)
            return _engines.ContainsKey(name) && !_hidden.Contains(name);
    }

    /// <summary>Whether <see cref="TableNames"/> has a name, of a table that can't be used with keys of a type.</summary>
    public bool ContainsTableOfOtherKeys<TKey>(string name)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_lock)
            return _engines.TryGetValue(name, out TableEngine? engine) && !_hidden.Contains(name) && !KeyCodec<TKey>.Fits(engine.KeyKind);
    }

    /// <summary>The number of <see cref="TableNames"/>.</summary>
    public int TableCount
    {
        get
        {
            lock (_lock)
                return _engines.Count - _hidden.Count(_engines.ContainsKey);
        }
    }

    /// <summary>
    /// Hides a name from <see cref="TableNames"/>, or shows it again: an application hides the tables of its own bookkeeping. Not stored.
    /// </summary>
    /// <param name="name">The name, whether there is such a table or not.</param>
    /// <param name="isHidden">Whether it is hidden from now on.</param>
    public void Hide(string name, bool isHidden = true)
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_lock)
            _ = isHidden ? _hidden.Add(name) : _hidden.Remove(name);
    }

    /// <summary>The statistics of a table.</summary>
    /// <exception cref="KeyNotFoundException">There is no such table.</exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public TableStatistics GetStatistics(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_disposed, this);
            return _engines.TryGetValue(name, out TableEngine? engine)
                ? engine.Statistics
                : throw new KeyNotFoundException($"There is no table '{name}'.");
        }
    }

    /// <summary>Settings of the pile and the tables that were configured which don't fit together, each with the remedy.</summary>
    /// <remarks>The first sweep after tables got their options logs what is new as warnings, each once, and 100 at most.</remarks>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public IReadOnlyList<string> Advice() => _sweeper.Advice.Now();

    /// <summary>
    /// Frees the indexes once running calls have ended, and the pile if the cache owns it. On a mapped pile all entries stay, and the
    /// indexes are saved.
    /// </summary>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_disposed)
                return;
            PileRegions.ThrowIfInRegion();
            _disposed = true;
        }
        _dropping.WaitUntilFree(); // of a running drop
        _stopping.Cancel();
        _capacity.Dispose();
        _sweeper.Dispose();
        CacheMeter.Of(Pile.Tables.Meter).Remove(MeteredTables);
        // Not Wait, which throws what the walk has failed with.
        ((IAsyncResult)Readiness.Completion).AsyncWaitHandle.WaitOne();
        ((IAsyncResult)Readiness.Inspection).AsyncWaitHandle.WaitOne();
        TableClose.All(_engines.Values); // drains the read buffers, so before the indexes are saved
        if (_clock.IsAhead)
            Pile.Tables.Background.TryRun("recording the time", () => Pile.Tables.Versions.Next(_clock.VersionAt(_clock.Now)));
        if (Readiness.IsReady) // else the next opening walks again
            _indexes.Close([.. _engines.Values]);
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

    // Background work ends before another cache may use the files.
    private void GiveUp()
    {
        lock (_lock)
            _disposed = true;
        _stopping.Cancel();
        _dropping.WaitUntilFree();
        DisposeTables();
    }

    private void DisposeTables()
    {
        foreach (TableEngine engine in _engines.Values)
            engine.Dispose();
        _indexes?.Dispose(); // null if the constructor failed
        Pile.Tables.ReleaseTables();
    }

    internal TableEngine[] Engines()
    {
        lock (_lock)
            return _disposed ? [] : [.. _engines.Values];
    }

    private MeteredTable[] MeteredTables() => Array.ConvertAll(
        Engines(), static engine => new MeteredTable(engine.Name, engine.Options, engine.CounterValues, engine.Statistics));

    private void InspectDamaged()
    {
        lock (_lock)
        {
            if (!_disposed)
                Readiness.InspectWith(_indexes.InspectDamaged(Readiness, [.. _engines.Values]));
        }
    }

    // Until the application configures a table, nothing is evicted from it.
    private static TableOptions FirstOptions(string name) => new(name) { CollisionMode = CollisionMode.Durable };
}
