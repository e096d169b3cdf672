using System.Collections.Generic;
using System.Linq;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Caching.Tables;
using BigPile.Reporting;

namespace BigPile.Http.Api;

/// <summary>Empties the tables that the service serves; never those that the application keeps for itself.</summary>
internal static class TablePurge
{
    /// <summary>The tables that are served.</summary>
    /// <param name="tables">The tables of the pile.</param>
    /// <param name="tableName">The name of one table; <see langword="null"/>: all.</param>
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
    /// <param name="gauge">Receives the progress.</param>
    /// <returns>The number of entries that each had, without tables that were dropped meanwhile.</returns>
    internal static Dictionary<string, long> Run(List<CacheTable<string, byte[]>> served, ProgressGauge gauge)
    {
        gauge.Begin(served.Sum(static table => table.Core.BucketCount));
        var removed = new Dictionary<string, long>();
        foreach (CacheTable table in served)
        {
            long count = table.Count;
            try
            {
                new Clear(table.Core).Run(gauge);
                removed[table.Name] = count;
            }
            catch (TableDroppedException)
            {
                // dropped meanwhile
            }
        }
        gauge.Complete();
        return removed;
    }
}
