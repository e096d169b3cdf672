using System;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using BigPile.Caching;

namespace BigPile.AspNetCore.Hosting;

/// <summary>The tables of an open pile, found by name without a lock and without a string.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ServedTables
{
    private readonly ConcurrentDictionary<string, CacheTable<string, byte[]>> _known = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, CacheTable<string, byte[]>>.AlternateLookup<ReadOnlySpan<char>> _byCharacters;

    internal ServedTables(PileCache cache)
    {
        Cache = cache;
        _byCharacters = _known.GetAlternateLookup<ReadOnlySpan<char>>();
    }

    internal PileCache Cache { get; }

    /// <summary>Gives a table that exists and has text keys.</summary>
    internal bool TryGet(ReadOnlySpan<char> name, [NotNullWhen(true)] out CacheTable<string, byte[]>? table)
    {
        if (_byCharacters.TryGetValue(name, out table))
            return true;
        if (!Cache.TryGetTable(name.ToString(), out table))
            return false;
        _known[table.Name] = table;
        return true;
    }

    /// <summary>Gives a table, and makes it if there is none of this name.</summary>
    /// <returns><see langword="false"/> when the table has keys that are not text.</returns>
    internal bool TryGetOrCreate(string name, [NotNullWhen(true)] out CacheTable<string, byte[]>? table)
    {
        if (TryGet(name, out table))
            return true;
        if (Exists(name))
            return false;
        table = Cache.GetOrCreateTable<string, byte[]>(name);
        return true;
    }

    /// <summary>Whether there is a table of this name, whatever its keys are.</summary>
    internal bool Exists(string name) => Cache.TableNames.Contains(name, StringComparer.Ordinal);
}
