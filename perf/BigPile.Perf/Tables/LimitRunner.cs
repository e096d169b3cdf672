using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tables;

/// <summary>Puts far more into a table than its limit in bytes, and watches the table's figure and the process's memory.</summary>
internal static class LimitRunner
{
    private const int PutsBetweenLooks = 256;
    private const int LooksBetweenProcessLooks = 64; // the system takes longer to tell than the table
    private const long RehearsedBytes = 8 << 20;

    /// <summary>Runs the load.</summary>
    /// <exception cref="LoadException">The table went over its limit.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static LimitReport Run(LimitOptions options, ILoadProgress progress, CancellationToken stop)
    {
        long limitBytes = (long)options.LimitMebibytes << 20;
        // code is compiled by now
        _ = Fill(Math.Min(limitBytes, RehearsedBytes), RehearsedBytes, options.ValueBytes, new NoProgress(), stop);
        GC.Collect();
        long baselineBytes = Environment.WorkingSet;
        Filled filled = Fill(limitBytes, (long)options.PutMebibytes << 20, options.ValueBytes, progress, stop);
        return new LimitReport
        {
            LimitBytes = limitBytes,
            PutBytes = filled.PutBytes,
            ValueBytes = options.ValueBytes,
            EntryCount = filled.Statistics.EntryCount,
            Evictions = filled.Statistics.Evictions,
            MostTableBytes = filled.MostTableBytes,
            BaselineProcessBytes = baselineBytes,
            MostProcessBytes = filled.MostProcessBytes,
            ProcessPercentOfLimit = Math.Round(100.0 * (filled.MostProcessBytes - baselineBytes) / limitBytes, 1),
            PutPerSecond = Math.Round(filled.PutBytes / (sizeof(long) + options.ValueBytes) / Math.Max(filled.Seconds, 1e-9)),
        };
    }

    private static Filled Fill(long limitBytes, long putBytes, int valueBytes, ILoadProgress progress, CancellationToken stop)
    {
        using var cache = new PileCache(new Pile(), ownsPile: true);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("limit") { MaxBytes = limitBytes });
        long count = Math.Max(1, putBytes / (sizeof(long) + valueBytes));
        var filled = new Filled { PutBytes = count * (sizeof(long) + valueBytes) };
        var value = new byte[valueBytes];
        progress.Begin("put", count);
        long start = Stopwatch.GetTimestamp();
        for (long key = 0; key < count; key++)
        {
            table.PutBytes(key, value, out _);
            if (key % PutsBetweenLooks != 0)
                continue;
            stop.ThrowIfCancellationRequested();
            filled.Look(table.Statistics.TotalBytes, limitBytes, key % (PutsBetweenLooks * LooksBetweenProcessLooks) == 0);
            progress.Report(key);
        }
        filled.Seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        filled.Look(table.Statistics.TotalBytes, limitBytes, seesProcess: true);
        filled.Statistics = table.Statistics;
        return filled;
    }

    private sealed class Filled
    {
        internal long PutBytes { get; init; }

        internal double Seconds { get; set; }

        internal long MostTableBytes { get; private set; }

        internal long MostProcessBytes { get; private set; }

        internal TableStatistics Statistics { get; set; } = null!;

        internal void Look(long tableBytes, long limitBytes, bool seesProcess)
        {
            if (tableBytes > limitBytes)
                throw new LoadException($"The table takes {tableBytes:N0} bytes, and its limit is {limitBytes:N0}. The table is at fault.");
            MostTableBytes = Math.Max(MostTableBytes, tableBytes);
            if (seesProcess)
                MostProcessBytes = Math.Max(MostProcessBytes, Environment.WorkingSet);
        }
    }
}
