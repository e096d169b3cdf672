using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;

namespace BigPile.Perf.Restarts;

/// <summary>The child process that fills a table, changes one until it is killed, or measures how one reopens.</summary>
/// <remarks>A process that is to be killed also ends when its standard input closes, so that it does not outlive the console.</remarks>
internal static class TableWorker
{
    internal const string Fill = "fill";
    internal const string Churn = "churn";

    private const int EntriesPerNewKey = 50;
    private const int MinNewKeys = 1000;

    // Of each thread at least, before the process may be killed.
    private static readonly int Changes = Brevity.Of(usual: 50_000, brief: 2000);

    /// <summary>Works as the parent says: a role, or what was left of the table that is to be opened.</summary>
    internal static int Run(string role, TableRestartOptions options, TextReader input, TextWriter output)
    {
        var place = new TablePlace(options.Directory!, options.IndexDirectory);
        if (role == Churn)
            return ChurnUntilKilled(options, place, input, output);
        output.WriteLine(role == Fill
            ? JsonReport.Write(FillAndClose(options, place))
            : JsonReport.Write(Open(role, options, place, input)));
        return 0;
    }

    private static TableOpenFigures Open(string state, TableRestartOptions options, TablePlace place, TextReader input)
    {
        ChurnFigures? churn = JsonReport.Read<ChurnFigures>(input.ReadLine() ?? "null");
        return TableOpening.Measure(options, place, Enum.Parse<TableState>(state), churn);
    }

    private static TableFillFigures FillAndClose(TableRestartOptions options, TablePlace place)
    {
        long start = Stopwatch.GetTimestamp();
        using Pile pile = Pile.Open(place.PilePath);
        using var cache = new PileCache(pile, new PileCacheOptions { IndexDirectory = place.IndexPath });
        CacheTable<long, byte[]> table = TableOpening.TableOf(cache);
        int threads = Environment.ProcessorCount;
        Parallel.For(0, threads, thread =>
        {
            var value = new byte[options.ValueBytes];
            for (long key = thread; key < options.Entries; key += threads)
            {
                NumberedPayload.Fill(value, TableOpening.NumberOf(key, 0));
                table.PutBytes(key, value, out _);
            }
        });
        long filled = Stopwatch.GetTimestamp();
        long reservedBytes = pile.Statistics.ReservedBytes;
        cache.Dispose();
        pile.Dispose();
        return new TableFillFigures(
            reservedBytes, Stopwatch.GetElapsedTime(start, filled).TotalSeconds, Stopwatch.GetElapsedTime(filled).TotalSeconds);
    }

    private static int ChurnUntilKilled(TableRestartOptions options, TablePlace place, TextReader input, TextWriter output)
    {
        _ = Task.Run(() =>
        {
            _ = input.ReadLine(); // on a thread of its own: the console's reader has no way to wait without one
            Environment.Exit(0);
        });
        using Pile pile = Pile.Open(place.PilePath);
        using var cache = new PileCache(pile, new PileCacheOptions { IndexDirectory = place.IndexPath });
        CacheTable<long, byte[]> table = TableOpening.TableOf(cache);
        long firstKey = options.Entries + table.Statistics.EntryCount; // after those of earlier kills
        Churner[] churners =
            [.. Enumerable.Range(0, Environment.ProcessorCount).Select(index => new Churner(options, table, firstKey, index))];
        Thread[] threads = Array.ConvertAll(churners, static churner => new Thread(churner.Run) { IsBackground = true });
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Churner churner in churners)
            churner.HasChurned.Wait();
        long keyCount = churners.Min(static churner => churner.NewKeys) * churners.Length;
        output.WriteLine(JsonReport.Write(new ChurnFigures(firstKey, keyCount)));
        threads[0].Join(); // until the kill
        return 0;
    }

    /// <summary>A thread that replaces entries at random and puts new ones, in turns, for ever.</summary>
    private sealed class Churner(TableRestartOptions options, CacheTable<long, byte[]> table, long firstKey, int index)
    {
        private readonly Random _random = new((int)firstKey + index);
        private readonly byte[] _value = new byte[options.ValueBytes];
        private long _newKeys;

        internal ManualResetEventSlim HasChurned { get; } = new();

        /// <summary>Its new keys that were put.</summary>
        internal long NewKeys => Volatile.Read(ref _newKeys);

        internal void Run()
        {
            long keyLimit = Math.Max(MinNewKeys, options.Entries / EntriesPerNewKey / Environment.ProcessorCount);
            for (long i = 1; ; i++)
            {
                Put(_random.Next(options.Entries), i);
                long added = (i - 1) % keyLimit; // at the limit of new keys the earlier ones are replaced
                Put(firstKey + index + added * Environment.ProcessorCount, i);
                Volatile.Write(ref _newKeys, Math.Min(i, keyLimit));
                if (i == Changes)
                    HasChurned.Set();
            }
        }

        private void Put(long key, long replacements)
        {
            NumberedPayload.Fill(_value, TableOpening.NumberOf(key, replacements % (1 << 20)));
            table.PutBytes(key, _value, out _);
        }
    }
}
