using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>Which key has made which table, kept in the pile: a key's limit holds over restarts.</summary>
/// <remarks>Thread safety: none; the owner has a lock.</remarks>
internal sealed class TableCreators
{
    private const string StoreName = "bigpile:makers";

    private readonly PileCache _cache;
    private readonly Dictionary<string, string> _keyOf = new(StringComparer.Ordinal);
    private readonly Dictionary<string, int> _counts = new(StringComparer.Ordinal);

    internal TableCreators(PileCache cache)
    {
        _cache = cache;
        cache.Hide(StoreName, isHidden: true);
    }

    /// <summary>Takes in what earlier openings of the pile noted, once the tables show it.</summary>
    internal void Restore()
    {
        if (!_cache.TryGetTable(StoreName, out CacheTable<string, byte[]>? store))
            return;
        foreach (string name in store.Keys.ToArray())
        {
            if (!_cache.HasTable(name))
                _ = store.Remove(name); // a kill came between
            else if (!_keyOf.ContainsKey(name) && store.TryGet(name, out byte[]? key))
                Remember(name, Encoding.UTF8.GetString(key));
        }
    }

    /// <summary>The number of tables that a key has made and that are there.</summary>
    internal int CountOf(string key) => _counts.GetValueOrDefault(key);

    /// <summary>Notes who has made a table.</summary>
    internal void Record(string name, string key)
    {
        Forget(name);
        Store().Put(name, Encoding.UTF8.GetBytes(key));
        Remember(name, key);
    }

    /// <summary>Takes a table off its maker's account.</summary>
    internal void Forget(string name)
    {
        if (!_keyOf.Remove(name, out string? key))
            return;
        _counts[key]--;
        _ = Store().Remove(name);
    }

    private void Remember(string name, string key)
    {
        _keyOf[name] = key;
        _counts[key] = CountOf(key) + 1;
    }

    private CacheTable<string, byte[]> Store() =>
        _cache.GetOrCreateTable<string, byte[]>(new TableOptions(StoreName) { CollisionMode = CollisionMode.Durable });
}
