using System.Collections.Generic;
using System.Linq;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Caching.Operations;
using BigPile.Reporting;

namespace BigPile.Http.Api;

/// <summary>Empties tables that the service serves, and not those that the application has for itself.</summary>
internal static class TablePurge
{
    /// <summary>The tables that are served.</summary>
    /// <param name="tables">Has them.</param>
    /// <param name="tableName">The one that is meant; <see langword="null"/> for all.</param>
    internal static List<CacheTable<string, byte[]>> Served(ServedTables tables, string? tableName = null)
    {
        IEnumerable<string> names = tableName != null ? [tableName] : tables.Cache.TableNames.Where(name => !tables.IsOwned(name));
        var served = new List<CacheTable<string, byte[]>>();
        foreach (string name in names.ToArray())
        {
            if (tables.TryGet(name, out CacheTable<string, byte[]>? table))
                served.Add(table);
        }
        return served;
    }

    /// <summary>Empties them.</summary>
    /// <param name="served">The tables.</param>
    /// <param name="gauge">Is told how far it is.</param>
    /// <returns>How many entries each had; without those that were dropped meanwhile, which have nothing that could be removed.</returns>
    internal static Dictionary<string, long> Run(List<CacheTable<string, byte[]>> served, ProgressGauge gauge)
    {
        gauge.Begin(served.Sum(static table => table.Core.BucketCount));
        var removed = new Dictionary<string, long>();
        foreach (CacheTable table in served)
        {
            long count = table.Count;
            try
            {
                table.Core.Clear(gauge);
                removed[table.Name] = count;
            }
            catch (TableDroppedException)
            {
                // has nothing any more
            }
        }
        gauge.Complete();
        return removed;
    }
}
