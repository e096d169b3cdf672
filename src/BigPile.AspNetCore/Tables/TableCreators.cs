using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tables;

/// <summary>Stores in the pile which key created which table, so that a key's limit survives restarts.</summary>
/// <remarks>Thread safety: none; the owner holds a lock.</remarks>
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

    /// <summary>Loads the records of earlier openings, once the tables are found.</summary>
    internal void Restore()
    {
        if (!_cache.TryGetTable(StoreName, out CacheTable<string, byte[]>? store))
            return;
        foreach (string name in store.Keys.ToArray())
        {
            if (!_cache.ContainsTable(name))
                _ = store.Remove(name); // a kill interrupted the creation or the drop
            else if (!_keyOf.ContainsKey(name) && store.TryGet(name, out byte[]? key))
                Remember(name, Encoding.UTF8.GetString(key));
        }
    }

    /// <summary>The number of existing tables that a key created.</summary>
    internal int CountOf(string key)
    {
        foreach ((string name, string creator) in _keyOf.ToArray())
        {
            if (creator == key && !_cache.ContainsTable(name))
                Forget(name); // the application has dropped it
        }
        return _counts.GetValueOrDefault(key);
    }

    /// <summary>Records the key that created a table.</summary>
    internal void Record(string name, string key)
    {
        Forget(name);
        Store().Put(name, Encoding.UTF8.GetBytes(key));
        Remember(name, key);
    }

    /// <summary>Removes a table from its creator's count.</summary>
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
        _counts[key] = _counts.GetValueOrDefault(key) + 1;
    }

    private CacheTable<string, byte[]> Store() =>
        _cache.GetOrCreateTable<string, byte[]>(new TableOptions(StoreName) { CollisionMode = CollisionMode.Durable });
}
