using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Perf.Tables;

/// <summary>
/// Puts far more into a table than its limit in bytes, watches the table's figure and the process's memory, and reads all of it.
/// </summary>
internal static class LimitRunner
{
    private const int OperationsBetweenSamples = 256;
    private const int SamplesBetweenProcessSamples = 64; // the system's figure costs more than the table's

    private static readonly int RehearsalMebibytes = Brevity.Of(usual: 8, brief: 1);

    /// <summary>Runs the load.</summary>
    internal static LimitReport Run(LimitOptions options, ILoadProgress progress, CancellationToken stop)
    {
        if (options.SpillDirectory is { } spill)
            UserDirectory.Demand(spill, "--spill");
        // code is compiled by then
        int limit = Math.Min(options.LimitMebibytes, 4);
        _ = Load(options with { LimitMebibytes = limit, PutMebibytes = RehearsalMebibytes }, new NoProgress(), stop);
        GC.Collect();
        long baselineBytes = Environment.WorkingSet;
        LimitWatch watch = Load(options, progress, stop);
        return new LimitReport
        {
            LimitBytes = watch.LimitBytes,
            PutBytes = watch.Count * (sizeof(long) + options.ValueBytes),
            ValueBytes = options.ValueBytes,
            EntryCount = watch.Statistics.EntryCount,
            Evictions = watch.Statistics.Evictions,
            MostTableBytes = watch.MostTableBytes,
            BaselineProcessBytes = baselineBytes,
            MostProcessBytes = watch.MostProcessBytes,
            ProcessPercentOfLimit = Math.Round(100.0 * (watch.MostProcessBytes - baselineBytes) / watch.LimitBytes, 1),
            PutPerSecond = Figure.PerSecond(watch.Count, watch.PutSeconds),
            GetPerSecond = Figure.PerSecond(watch.Count, watch.GetSeconds),
            Found = watch.Found,
            Missed = watch.Count - watch.Found,
            SpilledEntries = watch.Statistics.SpilledEntries,
            SpilledBytes = watch.Statistics.SpilledBytes,
        };
    }

    private static LimitWatch Load(LimitOptions options, ILoadProgress progress, CancellationToken stop)
    {
        var watch = new LimitWatch((long)options.LimitMebibytes << 20)
        {
            Count = Math.Max(1, ((long)options.PutMebibytes << 20) / (sizeof(long) + options.ValueBytes)),
        };
        using var cache = new PileCache(new Pile(), new PileCacheOptions { OwnsPile = true, SpillDirectory = options.SpillDirectory });
        CacheTable<long, byte[]> table = cache.GetOrCreateTable<long, byte[]>(new TableOptions("limit") { MaxBytes = watch.LimitBytes });
        watch.PutSeconds = Put(table, options.ValueBytes, watch, progress, stop);
        watch.GetSeconds = Get(table, options.ValueBytes, watch, progress, stop);
        watch.Sample(table, seesProcess: true);
        watch.Statistics = table.Statistics;
        if (options.SpillDirectory != null && watch.Found != watch.Count)
        {
            throw new LoadException(
                $"{watch.Count - watch.Found:N0} of {watch.Count:N0} keys are missing. The table is at fault, or the disk full.");
        }
        return watch;
    }

    private static double Put(
        CacheTable<long, byte[]> table, int valueBytes, LimitWatch watch, ILoadProgress progress, CancellationToken stop)
    {
        var value = new byte[valueBytes];
        progress.Begin("put", watch.Count);
        long start = Stopwatch.GetTimestamp();
        for (long key = 0; key < watch.Count; key++)
        {
            BinaryPrimitives.WriteInt64LittleEndian(value, key);
            table.PutBytes(key, value, out _);
            PollAt(key, table, watch, progress, stop);
        }
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static double Get(
        CacheTable<long, byte[]> table, int valueBytes, LimitWatch watch, ILoadProgress progress, CancellationToken stop)
    {
        var value = new byte[valueBytes];
        long step = StepThrough(watch.Count);
        progress.Begin("get", watch.Count);
        long start = Stopwatch.GetTimestamp();
        for (long i = 0, key = 0; i < watch.Count; i++, key = (key + step) % watch.Count)
        {
            if (table.TryRead(key, value, out EntryInfo info))
            {
                watch.Found++;
                if (info.ValueBytes != valueBytes || BinaryPrimitives.ReadInt64LittleEndian(value) != key)
                    throw new LoadException($"The key {key} came back with another value. The table is at fault.");
            }
            PollAt(i, table, watch, progress, stop);
        }
        return Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static void PollAt(long done, CacheTable<long, byte[]> table, LimitWatch watch, ILoadProgress progress, CancellationToken stop)
    {
        if (done % OperationsBetweenSamples != 0)
            return;
        stop.ThrowIfCancellationRequested();
        watch.Sample(table, done % (OperationsBetweenSamples * SamplesBetweenProcessSamples) == 0);
        progress.Report(done);
    }

    // A step coprime to the count visits every key once, each far from the previous one.
    private static long StepThrough(long count)
    {
        long step = (long)(count * 0.6180339887) | 1;
        while (BigInteger.GreatestCommonDivisor(step, count) != 1)
            step += 2;
        return step;
    }
}

/// <summary>The observed sizes of a table with a limit in bytes while far more was put into it.</summary>
internal sealed class LimitWatch(long limitBytes)
{
    internal long LimitBytes { get; } = limitBytes;
    internal required long Count { get; init; } // the keys that were put
    internal double PutSeconds { get; set; }
    internal double GetSeconds { get; set; }
    internal long Found { get; set; } // the keys that were found afterwards

    internal long MostTableBytes { get; private set; }

    internal long MostProcessBytes { get; private set; }

    internal TableStatistics Statistics { get; set; } = null!;

    /// <summary>Samples the table's own size, and optionally the process's memory.</summary>
    internal void Sample(CacheTable<long, byte[]> table, bool seesProcess)
    {
        long tableBytes = table.Statistics.TotalBytes;
        if (tableBytes > LimitBytes)
            throw new LoadException($"The table takes {tableBytes:N0} bytes, and its limit is {LimitBytes:N0}. The table is at fault.");
        MostTableBytes = Math.Max(MostTableBytes, tableBytes);
        if (seesProcess)
            MostProcessBytes = Math.Max(MostProcessBytes, Environment.WorkingSet);
    }
}
