using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;

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
    /// <param name="progress">Receives the index buckets that are done, of those of all tables.</param>
    /// <returns>The number of entries that each had, without tables that were dropped meanwhile.</returns>
    internal static Dictionary<string, long> Run(List<CacheTable<string, byte[]>> served, IProgress<PileProgress>? progress = null)
    {
        var sum = new ProgressOfAll(progress, served.Sum(static table => table.BucketCount));
        var removed = new Dictionary<string, long>();
        foreach (CacheTable table in served)
        {
            long count = table.Count;
            try
            {
                table.Clear(sum);
                removed[table.Name] = count;
            }
            catch (TableDroppedException)
            {
                // dropped meanwhile
            }
            sum.EndTable();
        }
        sum.Complete();
        return removed;
    }

    /// <summary>Adds up the progress of one table after another. It never falls.</summary>
    private sealed class ProgressOfAll(IProgress<PileProgress>? receiver, long total) : IProgress<PileProgress>
    {
        private long _ended; // buckets of the tables that are done
        private long _current; // buckets of the present one, done or not
        private long _done;

        public void Report(PileProgress value)
        {
            _current = value.Total;
            _done = Math.Max(_done, Math.Min(_ended + value.Done, total));
            if (_done < total)
                receiver?.Report(new PileProgress(_done, total));
        }

        internal void EndTable()
        {
            _ended += _current;
            _current = 0;
        }

        internal void Complete() => receiver?.Report(new PileProgress(total, total));
    }
}
