using System;
using System.IO;
using System.Threading;
using BigPile.Caching;
using BigPile.Concurrency;
using BigPile.Torture.Journals;
using BigPile.Torture.Piles;
using BigPile.Torture.Tables;
using BigPile.Torture.Values;

namespace BigPile.Torture;

/// <summary>What runs in the processes that the parent starts.</summary>
internal static unsafe class ChildProcess
{
    internal const string WorkVerb = "work";
    internal const string VerifyVerb = "verify";
    internal const int Failed = 3;

    private const long SegmentBytes = 4L << 20;
    private const int FirstSteps = 30; // most of a young process's time goes to the compiler

    /// <summary>Works until it is killed.</summary>
    internal static int Work(ChildOptions options)
    {
        EndWithParent();
        using Journal journal = OpenJournal(options);
        Volatile.Write(ref journal.Head->Phase, 1);
        var findings = new Findings(journal);
        KillPoint.ReportTo(&journal.ThreadAt(0)->Window); // recovery passes windows as well
        using Pile pile = OpenPile(options);
        using PileCache? cache = OpenCache(options, pile);
        ITarget target = MakeTarget(pile, cache, journal, findings);
        target.Settle();
        KillPoint.ReportTo(null);
        RunThreads(target, journal, findings, options.Seed);
        return Failed;
    }

    /// <summary>Compares the pile with the journal; every second time, by the seed, it leaves the pile as a kill would.</summary>
    internal static int Verify(ChildOptions options)
    {
        EndWithParent();
        using Journal journal = OpenJournal(options);
        var findings = new Findings(journal);
        Pile pile = OpenPile(options);
        PileCache? cache = OpenCache(options, pile);
        MakeTarget(pile, cache, journal, findings).Verify();
        if (options.Seed % 2 == 0)
            return 0;
        cache?.Dispose();
        pile.Dispose();
        return 0;
    }

    internal static string JournalPath(string directory) => Path.Combine(directory, "journal");

    internal static string PilePath(string directory) => Path.Combine(directory, "pile");

    private static Journal OpenJournal(ChildOptions options) => Journal.Open(JournalPath(options.Directory));

    private static Pile OpenPile(ChildOptions options)
    {
        var pileOptions = new PileOptions { SegmentBytes = SegmentBytes };
        pileOptions.CodecOptions.Allow(typeof(TortureNode));
        return Pile.Open(PilePath(options.Directory), pileOptions);
    }

    // Every key is asked for at once, and none may be missing.
    private static PileCacheOptions CacheOptions => new()
    {
        WaitsUntilReady = true,
        DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable },
    };

    private static PileCache? OpenCache(ChildOptions options, Pile pile) =>
        options.Target == TortureOptions.TableTarget ? new PileCache(pile, CacheOptions) : null;

    private static ITarget MakeTarget(Pile pile, PileCache? cache, Journal journal, Findings findings) =>
        cache == null ? new PileTarget(pile, journal, findings) : new TableTarget(cache, journal, findings);

    private static void RunThreads(ITarget target, Journal journal, Findings findings, ulong seed)
    {
        using var failed = new ManualResetEventSlim();
        for (int i = 0; i < journal.Threads; i++)
        {
            int thread = i;
            ulong threadSeed = seed + (ulong)thread * 7919;
            new Thread(() => RunThread(target, journal, findings, failed, thread, threadSeed)) { IsBackground = true }.Start();
        }
        failed.Wait();
    }

    private static void RunThread(ITarget target, Journal journal, Findings findings, ManualResetEventSlim failed, int thread, ulong seed)
    {
        try
        {
            KillPoint.ReportTo(&journal.ThreadAt(thread)->Window);
            IWorker worker = target.MakeWorker(thread, seed);
            for (int step = 0; !failed.IsSet; step++)
            {
                worker.Step();
                if (step == FirstSteps)
                    Volatile.Write(ref journal.Head->Phase, 2);
            }
        }
        catch (Exception e)
        {
            findings.Wrong($"while it is running, an operation ended with {e.GetType().Name}", e.ToString());
            failed.Set();
        }
    }

    // The parent holds the other end of the standard input: when it goes, so does the child.
    private static void EndWithParent() =>
        new Thread(static () =>
        {
            while (Console.In.Read() >= 0)
            {
            }
            Environment.Exit(Failed);
        })
        { IsBackground = true }.Start();
}
