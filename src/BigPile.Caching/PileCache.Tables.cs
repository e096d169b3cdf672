using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Persistence;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>Getting and creating tables.</summary>
public sealed partial class PileCache
{
    private const int MaxNameBytes = 200;

    /// <summary>Gets a table, or creates it.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">
    /// The type of the values. A table may be used with different ones; a value comes back as it was put.
    /// </typeparam>
    /// <param name="name">The table's name: 1 to 200 bytes in UTF-8.</param>
    /// <exception cref="ArgumentException">The name is empty, too long, or no text.</exception>
    /// <exception cref="InvalidOperationException">The table exists, with keys of another type.</exception>
    /// <exception cref="PileStorageException">
    /// The files of a new table's index can't be created: the disk is full, or the process has no mappings left. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public CacheTable<TKey, TValue> GetOrCreateTable<TKey, TValue>(string name)
        where TKey : notnull
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        return GetOrCreate<TKey, TValue>(name, null, null);
    }

    /// <summary>Gets a table, or creates it. From now on the options apply.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">
    /// The type of the values. A table may be used with different ones; a value comes back as it was put.
    /// </typeparam>
    /// <param name="options">The table's name and options.</param>
    /// <param name="comparer">
    /// Decides whether two keys are equal, instead of their bytes; for tables in memory only. It runs before a lookup, outside of the pile
    /// and with no lock held, for each key whose hash may be equal; so it may wait and use the table, and its exceptions are thrown to the
    /// caller. The framework's own comparers run within the lookup, which is faster.
    /// </param>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    /// <exception cref="InvalidOperationException">
    /// The table exists, with keys of another type, or another comparer; or the pile is mapped, and there is one.
    /// </exception>
    /// <exception cref="PileStorageException">
    /// The files of a new table's index can't be created: the disk is full, or the process has no mappings left. Nothing was changed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public CacheTable<TKey, TValue> GetOrCreateTable<TKey, TValue>(TableOptions options, IEqualityComparer<TKey>? comparer = null)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentException.ThrowIfNullOrEmpty(options.Name, nameof(options));
        if (options.Name == TableOptions.AnyName)
            throw new ArgumentException("The name '*' stands for all tables. Set DefaultTableOptions, or name one table.", nameof(options));
        options.Validate();
        if (comparer != null && Pile.DirectoryPath != null)
            throw new InvalidOperationException(
                $"The table '{options.Name}' is on a mapped pile, and can't have a comparer: it could not be found again.");
        return GetOrCreate<TKey, TValue>(options.Name, options, comparer);
    }

    /// <summary>Gets an existing table.</summary>
    /// <typeparam name="TKey">The type of the keys.</typeparam>
    /// <typeparam name="TValue">The type of the values.</typeparam>
    /// <param name="name">The table's name.</param>
    /// <param name="table">The table.</param>
    /// <returns><see langword="false"/> when there is no table of that name with such keys.</returns>
    /// <exception cref="ObjectDisposedException">The cache is disposed.</exception>
    public bool TryGetTable<TKey, TValue>(string name, [NotNullWhen(true)] out CacheTable<TKey, TValue>? table)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(name);
        Pile.Tables.Codecs.Allow([typeof(TKey), typeof(TValue)]); // naming a type allows storing it
        var spinner = default(SpinWait);
        do
        {
            lock (_lock)
            {
                ObjectDisposedException.ThrowIf(_disposed, this);
                bool exists = _engines.TryGetValue(name, out TableEngine? engine) && KeyCodec<TKey>.Fits(engine.KeyKind);
                table = exists ? GetTypedLocked<TKey, TValue>(engine!) : null;
            }
        }
        while (table != null && WaitsForDrop(table, ref spinner));
        return table != null;
    }

    // Until a drop is recorded, or has failed, the table is neither gone nor of use. A drop waits for the calls of this thread, if it is in
    // one: then it can't wait for the drop.
    private static bool WaitsForDrop(CacheTable table, ref SpinWait spinner)
    {
        if (!table.IsDropped || PileRegions.Current.IsOpen)
            return false;
        spinner.SpinOnce();
        return true;
    }

    private CacheTable<TKey, TValue> GetOrCreate<TKey, TValue>(string name, TableOptions? options, IEqualityComparer<TKey>? comparer)
        where TKey : notnull
    {
        if (TextKey.Utf8Of(name, "table's name").Length > MaxNameBytes)
            throw new ArgumentException($"The name '{name}' is over {MaxNameBytes} bytes long.", nameof(name));
        Pile.Tables.Codecs.Allow([typeof(TKey), typeof(TValue)]); // naming a type allows storing it
        CacheTable<TKey, TValue>? table;
        bool isKnown;
        var spinner = default(SpinWait);
        do
        {
            TableEngine? agreeing = comparer == null ? null : FindAgreeing(name, comparer);
            try
            {
                lock (_lock)
                    table = GetOrCreateLocked<TKey, TValue>(name, ref options, comparer, agreeing, out isKnown);
            }
            catch (PileException e) when (Pile.Tables.TryReclaimDiskSpace(e)) // then once more
            {
                (table, isKnown) = (null, false);
            }
        }
        while (table == null || WaitsForDrop(table, ref spinner));
        if (isKnown && options != null && options != table.Core.Options)
            table.Core.Configure(options);
        table.Core.MarkConfigured(); // only now: a refused call changes nothing
        return table;
    }

    // Outside the lock: the comparers' Equals may be application code.
    private TableEngine? FindAgreeing<TKey>(string name, IEqualityComparer<TKey> comparer)
        where TKey : notnull
    {
        TableEngine? engine;
        lock (_lock)
            engine = _engines.GetValueOrDefault(name);
        if (engine != null && KeyCodec<TKey>.Fits(engine.KeyKind) && !comparer.Equals(engine.KeyComparer))
            throw new InvalidOperationException($"The table '{name}' exists already, and has another comparer.");
        return engine;
    }

    /// <summary>Gets a table, or creates it.</summary>
    /// <returns>Null when the table is not the one whose comparer was checked: check again.</returns>
    private CacheTable<TKey, TValue>? GetOrCreateLocked<TKey, TValue>(
        string name, ref TableOptions? options, IEqualityComparer<TKey>? comparer, TableEngine? agreeing, out bool isKnown)
        where TKey : notnull
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        isKnown = _engines.TryGetValue(name, out TableEngine? engine);
        engine ??= DefineLocked(name, KeyCodec<TKey>.KindIn(Pile.Tables), options ?? DefaultTableOptions with { Name = name }, comparer);
        if (!KeyCodec<TKey>.Fits(engine.KeyKind))
            throw new InvalidOperationException($"The table '{name}' has keys of kind {engine.KeyKind}, and none of type {typeof(TKey)}: "
                + "use another name, or drop the table by DropTable.");
        if (isKnown && comparer != null && engine != agreeing)
            return null;
        CacheTable<TKey, TValue> table = GetTypedLocked<TKey, TValue>(engine);
        options ??= isKnown && !engine.IsConfigured ? DefaultTableOptions with { Name = name } : null;
        if (!isKnown)
            engine.MarkConfigured();
        return table;
    }

    // The index is created before the catalog's record: a recorded table has one.
    private TableEngine DefineLocked(string name, KeyKind kind, TableOptions options, object? comparer)
    {
        TableEngine? engine = null;
        bool isDefined = false;
        try
        {
            _ = _ids.Take(name, kind, definition =>
            {
                engine = NewEngine(definition, options, comparer, place: _indexes.Create(definition));
                new FeedSwitch(engine).ApplyLocked(options);
                engine.Index.Storage.MarkWhole();
            });
            isDefined = true;
        }
        catch (IOException e)
        {
            throw _indexes.Refused(e);
        }
        finally
        {
            if (!isDefined)
                engine?.Dispose();
        }
        return _engines[name] = engine!;
    }

    private TableEngine NewEngine(
        TableDefinition definition, TableOptions options, object? comparer = null, bool wasFound = false, IndexStorage? place = null)
    {
        string? spillDirectory = comparer == null ? _options.SpillDirectory : null;
        TableEngine engine = null!;
        SpillStore? spill = SpillStore.In(
            spillDirectory, Pile, definition.Id, definition.Name, () => engine.Limits.Budget.Entries, // called after evictions
            () => LoseFeedOf(engine));
        engine = new TableEngine(
            Pile, definition, _indexes.Hash, _clock, options, place, _indexes.FeedOf(definition.Id), spill, _factoryLimits)
        {
            PileCapacity = _capacity,
            KeyComparer = comparer,
            FlightTimeout = new FlightTimeout(_options.FactoryPatience, _options.TimeProvider),
            WasFound = wasFound,
            OnDamage = _reportDamage,
        };
        engine.Tags.ForgetUpTo(definition.FormerUpTo);
        if (!wasFound)
            engine.BeginUse();
        return engine.Begin();
    }

    // Entries were lost that nobody knows: readers of the feed are told that they missed something.
    private static void LoseFeedOf(TableEngine engine)
    {
        using ReadScope scope = engine.EnterReader();
        engine.Feed.Lose();
    }

    private CacheTable<TKey, TValue> GetTypedLocked<TKey, TValue>(TableEngine engine)
        where TKey : notnull
    {
        if (_tables.TryGetValue((engine.Name, typeof(TValue)), out CacheTable? table))
        {
            return table as CacheTable<TKey, TValue>
                ?? throw new InvalidOperationException($"The table '{engine.Name}' has keys of type {table.KeyType}, not {typeof(TKey)}.");
        }
        var made = new CacheTable<TKey, TValue>(engine);
        if (typeof(TValue) != typeof(byte[]))
            engine.SetOpaque(true);
        _tables[(engine.Name, typeof(TValue))] = made;
        return made;
    }
}
