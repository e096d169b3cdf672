using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.MessagePackCSharp;
using BigPile.Torture.Hash;
using BigPile.Torture.Journals;
using BigPile.Torture.Piles;
using BigPile.Torture.Tables;
using BigPile.Torture.Values;
using MessagePack.Resolvers;

namespace BigPile.Torture;

/// <summary>What runs in the processes that the parent starts.</summary>
internal static unsafe class ChildProcess
{
    internal const string WorkVerb = "work";
    internal const string VerifyVerb = "verify";
    internal const int Failed = 3;

    private const long SegmentBytes = 4L << 20;
    private const long FlushLogBytes = 2L << 20; // small, so that flushes end in checkpoints as well
    private const int FirstSteps = 30; // most of a young process's time goes to the compiler

    /// <summary>Works until it is killed.</summary>
    internal static int Work(ChildOptions options)
    {
        EndWithParent();
        using Journal journal = OpenJournal(options);
        if (options.IsHash)
            return HashChild.Work(options, journal);
        Volatile.Write(ref journal.Head->Phase, 1);
        var findings = new Findings(journal);
        Pauses.ReportTo(&journal.ThreadAt(0)->Point); // recovery passes windows as well
        using Pile pile = OpenPile(options, journal);
        using PileCache? cache = OpenCache(options, pile, journal, TimeSpan.FromSeconds(1));
        CheckRestored(cache, journal, findings);
        ITarget target = MakeTarget(options, pile, cache, journal, findings);
        using FeedRelay? feeds = MakeRelay(options, target, findings);
        feeds?.Compare();
        if (journal.Head->IsOtherBoot)
            target.Verify(); // what is left of the time before is all that there is to go on from
        else
            target.Reconcile();
        Pauses.ReportTo(null);
        feeds?.Follow();
        RunThreads(target, journal, findings, options.Seed);
        return Failed;
    }

    /// <summary>Compares the pile with the journal; every second time, by the seed, it leaves the pile as a kill would.</summary>
    internal static int Verify(ChildOptions options)
    {
        EndWithParent();
        using Journal journal = OpenJournal(options);
        if (options.IsHash)
            return HashChild.Verify(options, journal);
        var findings = new Findings(journal);
        Pile pile = OpenPile(options, journal);
        var isChecked = new TaskCompletionSource();
        PileCache? cache = OpenCache(options, pile, journal, TimeSpan.Zero, isChecked.Task);
        CheckRestored(cache, journal, findings);
        ITarget target = MakeTarget(options, pile, cache, journal, findings);
        using FeedRelay? feeds = MakeRelay(options, target, findings);
        feeds?.Compare();
        target.Verify();
        if (cache != null && !cache.Readiness.Inspection.IsCompleted)
        {
            isChecked.SetResult();
            cache.Readiness.Inspection.GetAwaiter().GetResult();
            target.Verify();
        }
        feeds?.Compare();
        if (options.Seed % 2 == 0)
            return 0;
        long began = journal.Tick();
        cache?.Dispose();
        pile.Dispose();
        journal.RecordFlush(began);
        return 0;
    }

    internal static string JournalPath(string directory) => Path.Combine(directory, "journal");

    internal static string PilePath(string directory) => Path.Combine(directory, "pile");

    private static Journal OpenJournal(ChildOptions options) => Journal.Open(JournalPath(options.Directory));

    private static Pile OpenPile(ChildOptions options, Journal journal)
    {
        var pileOptions = new PileOptions
        {
            SegmentBytes = SegmentBytes,
            FlushLogBytes = FlushLogBytes,
            Shared = journal.Head->IsShared,
            BootId = new Guid(journal.Head->Boot, 0, 0, new byte[8]),
            Codec = options.Codec == TortureOptions.LibraryCodec
                ? new MessagePackCSharpCodec(ContractlessStandardResolver.Options, typeof(TortureNode))
                : null,
        };
        pileOptions.CodecOptions.Allow(typeof(TortureNode));
        return Pile.Open(PilePath(options.Directory), pileOptions);
    }

    // Every key is asked for at once, and none may be missing.
    private static PileCache? OpenCache(
        ChildOptions options, Pile pile, Journal journal, TimeSpan sweepPeriod, Task? inspectsAfter = null)
    {
        if (options.Target != TortureOptions.TableTarget)
            return null;
        return new PileCache(pile, new PileCacheOptions
        {
            WaitsUntilReady = true,
            TimeProvider = new JournalTime(journal),
            SweepPeriod = sweepPeriod,
            InspectsAfter = inspectsAfter ?? Task.CompletedTask,
            DefaultTableOptions = new TableOptions("*") { CollisionMode = CollisionMode.Durable },
        });
    }

    // Without another start of the machine no index is ever lost.
    private static void CheckRestored(PileCache? cache, Journal journal, Findings findings)
    {
        if (cache != null && journal.Head->OtherBoots == 0 && cache.TableNames.Count != 0 && !cache.Readiness.WasRestored)
            findings.Wrong("the indexes that a kill left were not taken", "the entries were found by a walk");
    }

    private static ITarget MakeTarget(ChildOptions options, Pile pile, PileCache? cache, Journal journal, Findings findings) =>
        cache == null
            ? new PileTarget(pile, journal, findings)
            : new TableTarget(cache, new JournalTime(journal), journal, findings);

    private static FeedRelay? MakeRelay(ChildOptions options, ITarget target, Findings findings) =>
        target is TableTarget tables ? new FeedRelay(options.Directory, options.Seed, tables.Tables, findings) : null;

    /// <summary>Lets each thread of the run work, until one of them fails.</summary>
    internal static void RunThreads(ITarget target, Journal journal, Findings findings, ulong seed)
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
            Pauses.ReportTo(&journal.ThreadAt(thread)->Point);
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
    internal static void EndWithParent() =>
        new Thread(static () =>
        {
            while (Console.In.Read() >= 0)
            {
            }
            Environment.Exit(Failed);
        })
        { IsBackground = true }.Start();
}
