using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace BigPile.Perf.Feeds;

/// <summary>Compares tables without a feed, with one, and with one that is read: in slices, those of the tables in turn.</summary>
/// <remarks>So the machine is the same for all. A ratio is the median of those of the slices.</remarks>
internal static class FeedRunner
{
    private const int RehearsalEntries = 4096;
    private const int ReplayedChanges = 200_000; // fit into a window of 16 MiB
    private static readonly int Slices = Brevity.Of(usual: 16, brief: 2);

    internal static IReadOnlyList<FeedRow> Run(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        var compilation = new CompilationWatch();
        CacheOptions small = options with { Count = Math.Min(options.Count, RehearsalEntries), Rounds = 1 };
        do
            Measure(small, new NoProgress(), stop);
        while (!Brevity.IsWanted && !compilation.IsOver);
        return Measure(options, progress, stop);
    }

    private static List<FeedRow> Measure(CacheOptions options, ILoadProgress progress, CancellationToken stop)
    {
        FeedMode[] modes = options.Feeds!;
        var directories = new List<WorkDirectory?>();
        var tables = new List<IFeedTable>();
        try
        {
            foreach (FeedMode mode in modes)
            {
                WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
                directories.Add(directory);
                tables.Add(Create(mode, options, directory));
            }
            var figures = Array.ConvertAll(modes, static _ => new FeedFigures());
            Measure(options, progress, stop, tables, figures);
            return [.. modes.Select((mode, i) => FeedRow.Of(mode, options, figures[i], figures[0], tables[i].Follower))];
        }
        finally
        {
            tables.ForEach(static table => table.Dispose());
            directories.ForEach(static directory => directory?.Dispose());
        }
    }

    private static void Measure(
        CacheOptions options, ILoadProgress progress, CancellationToken stop, List<IFeedTable> tables, FeedFigures[] figures)
    {
        int slice = Math.Max(1, options.Count / Slices);
        using var team = new WorkerTeam(Worker.Divide(slice, options.Threads), slice, progress, stop);
        for (int round = 0; round <= options.Rounds; round++) // the first touches the memory
        {
            bool counts = round != 0;
            RunPhase("put", static table => table.Put, static one => one.Puts, counts);
            RunPhase("replace at random", static table => table.Replace, static one => one.Replaces, counts);
            RunPhase("put in batches", static table => table.PutBatched, static one => one.BatchedPuts, counts);
            RunPhase("remove", static table => table.Remove, static one => one.Removes, counts);
        }
        for (int i = 0; i < tables.Count; i++)
        {
            if (tables[i].Follower != null)
                figures[i].ReplayPerSecond = tables[i].MeasureReplay(Math.Min(ReplayedChanges, options.Count));
        }

        void RunPhase(
            string name, Func<IFeedTable, WorkerTeam.Batch> phaseOf, Func<FeedFigures, List<double>> secondsOf, bool counts)
        {
            for (int i = 0; i < Slices; i++)
            {
                for (int k = 0; k < tables.Count; k++)
                {
                    int number = (i + k) % tables.Count;
                    WorkerTeam.Batch phase = phaseOf(tables[number]);
                    int from = i * slice;
                    long start = Stopwatch.GetTimestamp();
                    long before = tables[number].Follower?.Delivered ?? 0;
                    double seconds = team.Run(name, (worker, first, end) => phase(worker, from + first, from + end));
                    if (tables[number].Follower is { } follower)
                    {
                        follower.WaitFor(tables[number].Mark()); // the next table's slice has the machine for itself
                        figures[number].AddRead(follower.Delivered - before, Stopwatch.GetElapsedTime(start).TotalSeconds, slice, seconds);
                    }
                    if (counts)
                        secondsOf(figures[number]).Add(seconds / slice);
                }
            }
        }
    }

    private static IFeedTable Create(FeedMode mode, CacheOptions options, WorkDirectory? directory)
    {
        var pileOptions = new PileOptions { Store = options.Store, Directory = directory?.PilePath, MaxBytes = MachineLimits.Checked };
        return options.KeyBytes == sizeof(long)
            ? new FeedTable<long>(mode, options, pileOptions, FeedKeys.Long)
            : new FeedTable<Guid>(mode, options, pileOptions, FeedKeys.Long16);
    }
}

/// <summary>What was measured of one table: seconds an entry, for each slice.</summary>
internal sealed class FeedFigures
{
    internal List<double> Puts { get; } = [];
    internal List<double> Replaces { get; } = [];
    internal List<double> BatchedPuts { get; } = [];
    internal List<double> Removes { get; } = [];
    internal double ReplayPerSecond { get; set; }
    internal long Delivered { get; private set; }
    internal double ReadSeconds { get; private set; }
    internal long Changed { get; private set; }
    internal double ChangeSeconds { get; private set; }

    internal void AddRead(long delivered, double readSeconds, long changed, double changeSeconds)
    {
        Delivered += delivered;
        ReadSeconds += readSeconds;
        Changed += changed;
        ChangeSeconds += changeSeconds;
    }
}
