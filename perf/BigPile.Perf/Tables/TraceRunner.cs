using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Caching;
using BigPile.Perf.Catalogs;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tables;

/// <summary>Replays recorded accesses through a table with a limit.</summary>
internal static class TraceRunner
{
    private const int AccessesBetweenLooks = 1 << 16;

    /// <summary>Runs the load.</summary>
    /// <exception cref="LoadException">The file can't be read, or holds no key; or the table went over its limit.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static TraceReport Run(TraceOptions options, ILoadProgress progress, CancellationToken stop)
    {
        (int[] accesses, int distinct) = Read(options.File, progress, stop);
        long capacity = options.Capacity ?? Math.Max(1, (long)(distinct * options.CapacityFraction!.Value));
        using var cache = new PileCache(new Pile(), ownsPile: true);
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("trace") { MaxEntries = capacity });
        progress.Begin("replay", accesses.Length);
        long start = Stopwatch.GetTimestamp();
        long hits = Replay(table, accesses, progress, stop);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        if (table.Count > capacity)
            throw new LoadException($"The table has {table.Count} entries, and its limit is {capacity}. The table is at fault.");
        return new TraceReport
        {
            File = options.File,
            Accesses = accesses.Length,
            DistinctKeys = distinct,
            Capacity = capacity,
            HitRatioPercent = Math.Round(100.0 * hits / accesses.Length, 2),
            OperationsPerSecond = Math.Round(accesses.Length / Math.Max(seconds, 1e-9)),
        };
    }

    private static long Replay(CacheTable<long, byte[]> table, int[] accesses, ILoadProgress progress, CancellationToken stop)
    {
        var value = new byte[sizeof(long)];
        long hits = 0;
        for (int i = 0; i < accesses.Length; i++)
        {
            if (table.TryRead(accesses[i], value, out _))
                hits++;
            else
                table.PutBytes(accesses[i], value, out _);
            if (i % AccessesBetweenLooks != 0)
                continue;
            stop.ThrowIfCancellationRequested();
            progress.Report(i);
        }
        return hits;
    }

    private static (int[] Accesses, int Distinct) Read(string path, ILoadProgress progress, CancellationToken stop)
    {
        var numbers = new Dictionary<string, int>();
        var accesses = new List<int>();
        using var file = new CatalogFile(path);
        progress.Begin("read", file.LengthBytes);
        try
        {
            while (file.ReadLine() is { } key)
            {
                if (key.Length == 0)
                    continue;
                if (!numbers.TryGetValue(key, out int number))
                    numbers[key] = number = numbers.Count;
                accesses.Add(number);
                if (accesses.Count % AccessesBetweenLooks != 0)
                    continue;
                stop.ThrowIfCancellationRequested();
                progress.Report(file.DoneBytes);
            }
        }
        catch (InvalidDataException e)
        {
            throw new LoadException($"'{path}' is damaged at line {file.LineNumber}: {e.Message}", e);
        }
        return accesses.Count == 0
            ? throw new LoadException($"'{path}' is empty. A trace has a key on each line.")
            : (accesses.ToArray(), numbers.Count);
    }
}
