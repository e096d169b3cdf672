using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace BigPile.AspNetCore.Tables;

/// <summary>The tables of an open pile, found by name without a lock or an allocation.</summary>
/// <remarks>
/// Table settings set by clients, and the key that created each table, are stored in the pile, in tables that clients can't name. A table
/// dropped while the cache still searches for its entries is emptied and hidden; the next start removes it. Thread safety: all members may
/// be called concurrently.
/// </remarks>
internal sealed class ServedTables
{
    /// <summary>The most tables that a pile can number, less some for the service itself.</summary>
    internal const int LargestMaxTables = 65_000;

    // Tables with text keys by name. Read without a lock; changed under _changeLock.
    private readonly ConcurrentDictionary<string, CacheTable<string, byte[]>> _known = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, CacheTable<string, byte[]>>.AlternateLookup<ReadOnlySpan<char>> _byCharacters;

    // Tables that the application serves as objects: a set, the values mean nothing. The host adds to it.
    private readonly ConcurrentDictionary<string, bool> _mapped;

    // Tables that the application added. Never changed.
    private readonly HashSet<string> _owned;

    // Tables that were dropped and could not be removed yet. Guarded by _changeLock.
    private readonly HashSet<string> _dropped = new(StringComparer.Ordinal);

    // Held while a table is created, configured, dropped or restored. Guards the stores below too.
    private readonly Lock _changeLock = new();
    private readonly TableCreators _creators;
    private readonly SettingsStore _settings;
    private readonly int _maxTables;

    /// <summary>Serves the tables of a cache.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="owned">The names of the tables that the application added.</param>
    /// <param name="mapped">The names of tables that the application serves as objects; it may grow.</param>
    /// <param name="maxTables">Clients can't create a table when there are this many.</param>
    /// <param name="logger">Logs what fails in the background.</param>
    internal ServedTables(
        PileCache cache, IEnumerable<string> owned, ConcurrentDictionary<string, bool>? mapped = null, int maxTables = LargestMaxTables,
        ILogger? logger = null)
    {
        Cache = cache;
        _maxTables = maxTables;
        _creators = new TableCreators(cache);
        _settings = new SettingsStore(cache);
        _mapped = mapped ?? [];
        _owned = new HashSet<string>(owned, StringComparer.Ordinal);
        _byCharacters = _known.GetAlternateLookup<ReadOnlySpan<char>>();
        if (cache.Readiness.IsReady)
            Restore();
        else
            _ = RestoreAfterAsync(cache.Readiness.Completion).LogFailureAsync(
                logger ?? NullLogger.Instance, "the restore of the table settings");
    }

    internal PileCache Cache { get; }

    /// <summary>Distinguishes pages of keys of this opening of the pile from those of other openings.</summary>
    internal int Session { get; } = Guid.NewGuid().GetHashCode();

    /// <summary>Finds a table with text keys.</summary>
    internal bool TryGet(ReadOnlySpan<char> name, [NotNullWhen(true)] out CacheTable<string, byte[]>? table) =>
        (_byCharacters.TryGetValue(name, out table) && !table.IsDropped) || TryFind(name.ToString(), out table);

    /// <summary>Finds or creates a table that accepts payloads.</summary>
    /// <param name="name">The table's name.</param>
    /// <param name="table">The table.</param>
    /// <param name="creator">The client that asks, if clients have keys.</param>
    /// <returns>Why there is none; <see langword="null"/> when there is.</returns>
    internal TableRefusal? OpenToPut(string name, out CacheTable<string, byte[]> table, ITableCreator? creator = null)
    {
        if (!TryGet(name, out CacheTable<string, byte[]>? found))
        {
            lock (_changeLock)
            {
                if (FindToPutLocked(name, creator, out found) is { } refusal)
                    return Refuse(refusal, out table);
                found ??= MakeLocked(name, null, creator);
            }
        }
        table = found;
        return found.HasOpaqueValues ? TableRefusal.OpaqueValue : null;
    }

    /// <summary>Says why <see cref="OpenToPut"/> would fail now, without creating a table.</summary>
    /// <param name="name">The table's name.</param>
    /// <param name="creator">The client that asks, if clients have keys.</param>
    internal TableRefusal? CheckPut(string name, ITableCreator? creator = null)
    {
        if (!TryGet(name, out CacheTable<string, byte[]>? found))
        {
            lock (_changeLock)
            {
                if (FindToPutLocked(name, creator, out found) is { } refusal)
                    return refusal;
            }
        }
        return found?.HasOpaqueValues == true ? TableRefusal.OpaqueValue : null;
    }

    // Returns neither a refusal nor a table if the table can be created.
    private TableRefusal? FindToPutLocked(string name, ITableCreator? creator, out CacheTable<string, byte[]>? found)
    {
        if (TryFindLocked(name, out found))
            return null;
        if (HasOtherKeys(name))
            return TableRefusal.OtherKeyType;
        return _mapped.ContainsKey(name) ? TableRefusal.OpaqueValue : CheckTableLimitLocked(creator);
    }

    private TableRefusal? CheckTableLimitLocked(ITableCreator? creator)
    {
        if (Cache.TableCount >= _maxTables)
            return TableRefusal.TooMany($"There are {_maxTables:N0}, as Limits:Tables (BigPileOptions.MaxTables) allows. Drop one, or "
                + "raise the limit.", _maxTables);
        return creator?.MaxTables is { } limit && _creators.CountOf(creator.Name) >= limit
            ? TableRefusal.TooMany(
                $"The key '{creator.Name}' has made {limit:N0}, as its MaxTables allows. Drop one, or raise the limit.", limit)
            : null;
    }

    private static TableRefusal Refuse(TableRefusal refusal, out CacheTable<string, byte[]> table)
    {
        table = null!;
        return refusal;
    }

    /// <summary>Whether a table of this name exists, with any type of keys.</summary>
    internal bool Exists(string name) => Cache.ContainsTable(name);

    /// <summary>Whether the table of this name can't be served because its keys are not text. A snapshot: tables come and go.</summary>
    internal bool HasOtherKeys(string name) => Cache.ContainsTableOfOtherKeys<string>(name);

    /// <summary>The name as a string, without an allocation if the table is known.</summary>
    internal string Intern(ReadOnlySpan<char> name) =>
        _byCharacters.TryGetValue(name, out CacheTable<string, byte[]>? table) ? table.Name : name.ToString();

    /// <summary>Changes a table's options, or creates the table with them.</summary>
    /// <param name="name">The table's name.</param>
    /// <param name="options">The table's options.</param>
    /// <param name="creator">The client that asks, if clients have keys.</param>
    /// <param name="isNew">Whether the table was created.</param>
    /// <returns>The refusal; <see langword="null"/> on success.</returns>
    /// <exception cref="ArgumentException">An option is out of range, or can't be changed.</exception>
    internal TableRefusal? Configure(string name, TableOptions options, ITableCreator? creator, out bool isNew)
    {
        lock (_changeLock)
        {
            isNew = !Exists(name);
            if (isNew && CheckTableLimitLocked(creator) is { } full)
                return full;
            if (isNew)
                _ = MakeLocked(name, options, creator);
            else if (TryFindLocked(name, out CacheTable<string, byte[]>? table))
                table.Configure(options);
            else
                return TableRefusal.OtherKeyType;
            _settings.Keep(name, options);
            return null;
        }
    }

    /// <summary>Whether the application added the table.</summary>
    internal bool IsOwned(string name) => _owned.Contains(name);

    /// <summary>Drops a table and frees its space.</summary>
    /// <returns><see langword="false"/> if there is no such table with text keys.</returns>
    internal bool TryDrop(string name)
    {
        lock (_changeLock)
        {
            if (!TryFindLocked(name, out CacheTable<string, byte[]>? table))
                return false;
            // first, so that after a kill the next start completes the drop
            _settings.KeepDropped(name);
            HideLocked(name);
            if (Cache.Readiness.IsReady)
                DropLocked(name);
            else
                table.Clear();
            return true;
        }
    }

    private void DropLocked(string name)
    {
        _ = Cache.DropTable(name);
        _ = _dropped.Remove(name);
        _settings.Forget(name);
        _creators.Forget(name);
    }

    private bool TryFind(string name, [NotNullWhen(true)] out CacheTable<string, byte[]>? table)
    {
        lock (_changeLock)
            return TryFindLocked(name, out table);
    }

    private bool TryFindLocked(string name, [NotNullWhen(true)] out CacheTable<string, byte[]>? table)
    {
        table = null;
        if (name == SettingsStore.Name || _dropped.Contains(name) || !Cache.TryGetTable(name, out table))
        {
            _ = _known.TryRemove(name, out _); // if the application has dropped it
            return false;
        }
        if (_mapped.ContainsKey(name))
            table.HasOpaqueValues = true;
        _known[table.Name] = table;
        return true;
    }

    private CacheTable<string, byte[]> MakeLocked(string name, TableOptions? options, ITableCreator? creator)
    {
        CacheTable<string, byte[]> table;
        if (_dropped.Contains(name) && Cache.TryGetTable(name, out CacheTable<string, byte[]>? dropped))
        {
            dropped.Clear(); // of entries put by a request that held the table before it was dropped
            // An existing table's index can't change whether it grows.
            dropped.Configure((options ?? Cache.DefaultTableOptions with { Name = name }) with { FixedIndex = dropped.Options.FixedIndex });
            _ = _dropped.Remove(name);
            Cache.Hide(name, isHidden: false);
            _settings.Forget(name);
            table = dropped;
        }
        else
        {
            if (_dropped.Remove(name)) // the application has dropped it before the next start could
                _settings.Forget(name);
            table = options == null ? Cache.GetOrCreateTable<string, byte[]>(name) : Cache.GetOrCreateTable<string, byte[]>(options);
        }
        if (creator != null)
            _creators.Record(name, creator.Name);
        _known[name] = table;
        return table;
    }

    private void HideLocked(string name)
    {
        _ = _dropped.Add(name);
        _ = _known.TryRemove(name, out _);
        Cache.Hide(name, isHidden: true);
    }

    /// <summary>Restores settings after the walk for the entries; not if it fails or the cache is disposed first.</summary>
    internal async Task RestoreAfterAsync(Task walk)
    {
        await walk.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        if (walk.IsCompletedSuccessfully)
            Restore();
    }

    private void Restore()
    {
        lock (_changeLock)
        {
            _creators.Restore();
            RestoreLocked();
        }
    }

    private void RestoreLocked()
    {
        foreach ((string name, KeptSettings settings) in _settings.All().Where(kept => !_owned.Contains(kept.Name)))
        {
            bool isThere = Cache.TryGetTable(name, out CacheTable<string, byte[]>? table);
            if (settings.IsDropped && isThere && !_known.ContainsKey(name) && !_dropped.Contains(name))
            {
                HideLocked(name);
                DropLocked(name);
            }
            else if (settings.IsDropped)
            {
                if (!_dropped.Contains(name))
                    // the table is gone, or got new entries before this record was found: the drop itself emptied it
                    _settings.Forget(name);
            }
            else
            {
                // A restored index always grows, whatever its settings say; an existing table keeps its choice.
                bool isFixed = isThere && table!.Options.FixedIndex;
                _ = Cache.GetOrCreateTable<string, byte[]>(settings.ToOptions(name) with { FixedIndex = isFixed });
            }
        }
    }
}
