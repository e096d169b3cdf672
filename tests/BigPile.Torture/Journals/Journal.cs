using System;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Torture.Journals;

/// <summary>What was done and what is being done, in a mapped file that outlives every process of a run.</summary>
internal sealed unsafe class Journal : IDisposable
{
    internal const int ObjectsPerThread = 1500;
    internal const int KeysPerPair = 512;
    internal const int TagsPerPair = 4;
    internal const int StalePerThread = 1 << 15;

    private const int MaxOpenPuts = 8192;
    private const int MaxTables = 8;

    private readonly MappedRegion _region;

    private Journal(MappedRegion region) => _region = region;

    internal JournalHead* Head => (JournalHead*)_region.Start;

    internal int Threads => Head->Threads;

    internal int Pairs => Threads / 2;

    internal int ObjectCount => Threads * ObjectsPerThread;

    internal int KeyCount => Pairs * KeysPerPair;

    internal long FlushedUpTo => Volatile.Read(ref Head->FlushedUpTo);

    private ThreadRecord* ThreadRecords => (ThreadRecord*)(Head + 1);

    private ObjectRecord* Objects => (ObjectRecord*)(ThreadRecords + Threads);

    private KeyRecord* Keys => (KeyRecord*)(Objects + ObjectCount);

    private KeySide* Tags => (KeySide*)(Keys + KeyCount);

    private KeySide* Clears => Tags + MaxTables * Pairs * TagsPerPair;

    private ulong* Stale => (ulong*)(Clears + MaxTables);

    private OpenPut* OpenPuts => (OpenPut*)(Stale + Threads * StalePerThread);

    internal static Journal Create(string path, int threads)
    {
        long perThread = sizeof(ThreadRecord) + (long)ObjectsPerThread * sizeof(ObjectRecord) + StalePerThread * sizeof(ulong);
        long perPair = KeysPerPair * (long)sizeof(KeyRecord) + MaxTables * TagsPerPair * (long)sizeof(KeySide);
        long lengthBytes = sizeof(JournalHead) + threads * perThread + threads / 2 * perPair
            + MaxTables * (long)sizeof(KeySide) + MaxOpenPuts * (long)sizeof(OpenPut);
        var journal = new Journal(MappedRegion.Create(path, lengthBytes));
        journal.Head->Threads = threads;
        journal.Head->Boot = 1;
        return journal;
    }

    internal static Journal Open(string path) => new(MappedRegion.Open(path, new System.IO.FileInfo(path).Length));

    internal ThreadRecord* ThreadAt(int thread) => ThreadRecords + thread;

    internal ObjectRecord* ObjectAt(int index) => Objects + index;

    internal KeyRecord* KeyAt(int index) => Keys + index;

    /// <summary>The removals of one tag (from 1) of a pair in one table.</summary>
    internal KeySide* TagAt(int table, int pair, int tag) => Tags + (table * Pairs + pair) * TagsPerPair + tag - 1;

    /// <summary>The removals of everything in one table.</summary>
    internal KeySide* ClearAt(int table) => Clears + table;

    internal long Operations()
    {
        long sum = 0;
        for (int i = 0; i < Threads; i++)
            sum += Volatile.Read(ref ThreadAt(i)->Operations);
        return sum;
    }

    internal long Tick() => Interlocked.Increment(ref Head->Clock);

    internal void Begin(ObjectRecord* record, Change change, ObjectVersion then) => record->Begin(change, then, FlushedUpTo);

    internal void Complete(ObjectRecord* record) => record->Complete(Tick());

    /// <summary>States that what had ended before an instant is durable.</summary>
    internal void RecordFlush(long began)
    {
        long before = FlushedUpTo;
        while (before < began)
        {
            long seen = Interlocked.CompareExchange(ref Head->FlushedUpTo, began, before);
            if (seen == before)
                return;
            before = seen;
        }
    }

    /// <summary>Keeps a pointer that names nothing any more; the oldest ones are forgotten.</summary>
    internal void AddStale(int thread, ulong pointer)
    {
        ThreadRecord* record = ThreadAt(thread);
        Stale[thread * StalePerThread + record->StaleCount % StalePerThread] = pointer;
        Volatile.Write(ref record->StaleCount, record->StaleCount + 1);
    }

    internal Span<ulong> StaleOf(int thread) =>
        new(Stale + thread * StalePerThread, (int)Math.Min(ThreadAt(thread)->StaleCount, StalePerThread));

    /// <summary>Forgets the pointers that name nothing: after a power cut their generations may be given again.</summary>
    internal void ForgetStale()
    {
        for (int i = 0; i < Threads; i++)
            ThreadAt(i)->StaleCount = 0;
    }

    internal Span<OpenPut> OpenPutsNow() => new(OpenPuts, Head->OpenPuts);

    internal void AddOpenPut(int id, ObjectVersion version)
    {
        if (Head->OpenPuts == MaxOpenPuts)
            throw new InvalidOperationException($"More than {MaxOpenPuts:N0} puts were cut off without a verification.");
        OpenPuts[Head->OpenPuts] = new OpenPut { Id = id, Version = version };
        Volatile.Write(ref Head->OpenPuts, Head->OpenPuts + 1);
    }

    /// <summary>Forgets everything but the sums: the pile is to be begun anew.</summary>
    internal void ForgetPile()
    {
        new Span<byte>(Objects, (int)((byte*)Stale - (byte*)Objects)).Clear();
        Head->OpenPuts = 0;
        Head->IsOtherBoot = false;
        ForgetStale();
        for (int i = 0; i < Threads; i++)
        {
            ThreadAt(i)->LastVersion = 0;
            ThreadAt(i)->TablesMade = 0;
        }
    }

    public void Dispose() => _region.Dispose();
}
