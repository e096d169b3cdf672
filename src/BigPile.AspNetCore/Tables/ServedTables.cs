using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>The tables of an open pile, found by name without a lock and without a string.</summary>
/// <remarks>
/// How a table behaves, as a client said, and which key made it, is kept in the pile, in tables that have no names a client could say. A
/// table that is dropped while the cache is still finding its entries is emptied and left out of every list, and goes at the next start.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class ServedTables
{
    /// <summary>The highest number of tables: what a pile can tell apart, and some for the service itself.</summary>
    internal const int LargestMaxTables = 65_000;

    private readonly ConcurrentDictionary<string, CacheTable<string, byte[]>> _known = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, CacheTable<string, byte[]>>.AlternateLookup<ReadOnlySpan<char>> _byCharacters;
    private readonly ConcurrentDictionary<string, bool> _mapped;
    private readonly HashSet<string> _owned;
    private readonly HashSet<string> _dropped = new(StringComparer.Ordinal);
    private readonly Lock _changeLock = new();
    private readonly TableCreators _creators;
    private readonly SettingsStore _settings;
    private readonly int _maxTables;

    /// <summary>Serves the tables of a cache.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="owned">The names of the tables that the application has added itself.</param>
    /// <param name="mapped">The names of those that it serves as objects; may grow.</param>
    /// <param name="maxTables">The most tables that clients may bring their number to.</param>
    internal ServedTables(
        PileCache cache, IEnumerable<string> owned, ConcurrentDictionary<string, bool>? mapped = null, int maxTables = LargestMaxTables)
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
            _ = RestoreAfterAsync(cache.Readiness.Completion);
    }

    internal PileCache Cache { get; }

    /// <summary>Tells the pages of this opening of the pile from those of others.</summary>
    internal int Session { get; } = Guid.NewGuid().GetHashCode();

    /// <summary>Gives a table that exists and has text keys.</summary>
    internal bool TryGet(ReadOnlySpan<char> name, [NotNullWhen(true)] out CacheTable<string, byte[]>? table) =>
        _byCharacters.TryGetValue(name, out table) || TryFind(name.ToString(), out table);

    /// <summary>Gives a table that payloads may be put into, and makes it if there is none of this name.</summary>
    /// <param name="name">The table's name.</param>
    /// <param name="table">The table.</param>
    /// <param name="creator">Who asks for it, if clients have keys.</param>
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
        return found.Core.HasOpaqueValues ? TableRefusal.OpaqueValue : null;
    }

    /// <summary>Says why <see cref="OpenToPut"/> would give no table as things are now, without making one.</summary>
    /// <param name="name">The table's name.</param>
    /// <param name="creator">Who asks for it, if clients have keys.</param>
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
        return found?.Core.HasOpaqueValues == true ? TableRefusal.OpaqueValue : null;
    }

    // No table and no reason against one: it can be made.
    private TableRefusal? FindToPutLocked(string name, ITableCreator? creator, out CacheTable<string, byte[]>? found)
    {
        found = null;
        if (Exists(name))
            return TryFindLocked(name, out found) ? null : TableRefusal.OtherKeyType;
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

    /// <summary>Whether there is a table of this name, whatever its keys are.</summary>
    internal bool Exists(string name) => Cache.HasTable(name);

    /// <summary>
    /// Whether there is a table of a name that can't be served, since its keys are no texts. One look: tables come and go.
    /// </summary>
    internal bool HasOtherKeys(string name) => Cache.HasTableOfOtherKeys<string>(name);

    /// <summary>The name as a string, without making one if the table is known.</summary>
    internal string Intern(ReadOnlySpan<char> name) =>
        _byCharacters.TryGetValue(name, out CacheTable<string, byte[]>? table) ? table.Name : name.ToString();

    /// <summary>Has a table behave as a client says, and makes it if there is none.</summary>
    /// <param name="name">The table's name.</param>
    /// <param name="options">How it is to behave.</param>
    /// <param name="creator">Who asks for it, if clients have keys.</param>
    /// <param name="isNew">Whether it was made.</param>
    /// <returns>Why it can't be; <see langword="null"/> when it is done.</returns>
    /// <exception cref="ArgumentException">An option is out of its range, or can't be changed.</exception>
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

    /// <summary>Whether the application has added a table itself.</summary>
    internal bool IsOwned(string name) => _owned.Contains(name);

    /// <summary>Has a table be there no more, and gives back what it took.</summary>
    /// <returns><see langword="false"/> when there is no such table with text keys.</returns>
    internal bool TryDrop(string name)
    {
        lock (_changeLock)
        {
            if (!TryFindLocked(name, out CacheTable<string, byte[]>? table))
                return false;
            // first: a kill behind this finds it dropped, and goes on with it
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
            return false;
        if (_mapped.ContainsKey(name) || (table.Core.WasFound && OpaqueValues.AreIn(table.Core)))
            table.Core.HasOpaqueValues = true;
        _known[table.Name] = table;
        return true;
    }

    private CacheTable<string, byte[]> MakeLocked(string name, TableOptions? options, ITableCreator? creator)
    {
        CacheTable<string, byte[]> table;
        if (_dropped.Contains(name) && Cache.TryGetTable(name, out CacheTable<string, byte[]>? dropped))
        {
            dropped.Clear(); // of what came late, by a request that had the table before it was dropped
            // The index of a table that lives keeps the way it grows.
            dropped.Configure((options ?? Cache.DefaultTableOptions with { Name = name }) with { FixedIndex = dropped.Options.FixedIndex });
            _ = _dropped.Remove(name);
            Cache.Hide(name, isHidden: false);
            _settings.Forget(name);
            table = dropped;
        }
        else
        {
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

    /// <summary>Restores once the walk for the entries is over; not when it fails, or the cache is disposed before.</summary>
    internal async Task RestoreAfterAsync(Task walk)
    {
        await walk.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        if (walk.IsCompletedSuccessfully)
            _ = Cache.Pile.Engine.Background.TryRun("the restoring of how tables are to behave", Restore);
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
                    _settings.Forget(name); // the table is gone, or was put to before this was known: it was emptied when it was dropped
            }
            else
            {
                // An index that was found again grows, whatever was said of it when it was made; that of a table that lives stays.
                bool isFixed = isThere && table!.Options.FixedIndex;
                _ = Cache.GetOrCreateTable<string, byte[]>(settings.ToOptions(name) with { FixedIndex = isFixed });
            }
        }
    }
}
