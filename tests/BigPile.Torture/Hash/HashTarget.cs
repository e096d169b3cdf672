using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Hash;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Hash;

/// <summary>Records of a hash database; each belongs to one thread, but for some counters that all of them count.</summary>
internal sealed unsafe partial class HashTarget(HashDatabase database, Journal journal, Findings findings) : ITarget
{
    private const long MostBytes = 96 << 20; // several times of what there ever is at once
    private const int ClearTable = 0;

    /// <summary>Held for reading by who changes a record, and for writing by who removes all.</summary>
    internal ReaderWriterLockSlim Clearing { get; } = new();

    internal HashDatabase Database => database;

    public IWorker MakeWorker(int thread, ulong seed) => new HashWorker(this, journal, findings, thread, seed);

    /// <summary>Removes all, and states it; each record for itself is there or not when this is cut off.</summary>
    internal void Clear()
    {
        KeySide* clear = journal.ClearAt(ClearTable);
        clear->Begin(new EntryState { Begin = journal.Tick() });
        database.Clear();
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            if (journal.ObjectAt(i)->Now.IsLive)
                Become(i, Dead(i));
        }
        clear->Complete(new EntryState { End = journal.Tick() });
    }

    /// <summary>A state in which a record is not there. How often it was removed tells a flushed state from one behind a removal.</summary>
    internal ObjectVersion Dead(int id) => new()
    {
        PatchRevision = journal.ThreadAt(id / Journal.ObjectsPerThread)->LastRevision,
        Pointer = journal.ObjectAt(id)->Now.Pointer + 1,
    };

    public void Reconcile()
    {
        bool isClearing = journal.ClearAt(ClearTable)->IsInFlight;
        if (isClearing)
            CheckAllOrNone();
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            if (!HashValue.IsShared(i))
                ReconcileOne(i, journal.ObjectAt(i), isClearing);
        }
        for (int counter = 0; counter < HashValue.SharedCounters; counter++)
            ReconcileShared(counter, isClearing);
        if (isClearing)
            journal.ClearAt(ClearTable)->Complete(new EntryState { End = journal.Tick() });
    }

    /// <summary>Compares what can be read with the journal; nothing that was in flight is settled.</summary>
    internal void Check()
    {
        bool isClearing = journal.ClearAt(ClearTable)->IsInFlight;
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            ObjectRecord* record = journal.ObjectAt(i);
            if (HashValue.IsShared(i))
                continue;
            byte[]? found = Get(i);
            if (!IsAsStated(i, found, isClearing))
                findings.Wrong("who only reads finds something else", $"{Where(i, record->Now)}: {HashValue.Describe(i, found)}");
        }
    }

    /// <summary>How many records are not as the journal states; those that are met as damaged are not among them.</summary>
    internal int CountSilent()
    {
        bool isClearing = journal.ClearAt(ClearTable)->IsInFlight;
        int silent = 0;
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            if (HashValue.IsShared(i))
                continue;
            try
            {
                silent += IsAsStated(i, database.Get(HashValue.KeyOf(i)), isClearing) ? 0 : 1;
            }
            catch (HashDatabaseCorruptException)
            {
                // who asks is told
            }
        }
        return silent;
    }

    private bool IsAsStated(int id, byte[]? found, bool isClearing)
    {
        ObjectRecord* record = journal.ObjectAt(id);
        return IsValue(id, record->Now, found) || (isClearing && found == null)
            || (record->InFlight != Change.None && IsValue(id, record->Then, found));
    }

    public void Verify()
    {
        if (journal.Head->IsOtherBoot)
            ReconcileOtherBoot();
        else
            Reconcile();
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            journal.Head->Compared++;
            if (!HashValue.IsShared(i))
                CheckOne(i);
        }
        CheckWalk();
        CheckSums();
        journal.Head->IsOtherBoot = false;
    }

    // Nothing else was being changed when a clear was cut off.
    private void CheckAllOrNone()
    {
        int live = Enumerable.Range(0, journal.ObjectCount).Count(id => !HashValue.IsShared(id) && journal.ObjectAt(id)->Now.IsLive);
        if (database.Count != 0 && database.Count < live)
            findings.Wrong("a clear was done in part", $"{database.Count:N0} records are there, and {live:N0} were");
    }

    private void ReconcileOne(int id, ObjectRecord* record, bool isClearing)
    {
        byte[]? found = Get(id);
        if (isClearing && found == null)
        {
            if (record->Now.IsLive)
                Become(id, Dead(id));
            return;
        }
        if (record->InFlight == Change.None)
            return;
        if (IsValue(id, record->Now, found))
        {
            journal.Head->FoundAbsent++;
            record->Withdraw();
            return;
        }
        if (!IsValue(id, record->Then, found))
        {
            findings.Wrong("a change in flight is neither old nor new", $"{Where(id, record->Now)}: {HashValue.Describe(id, found)}");
            Drop(id);
            return;
        }
        journal.Head->FoundWhole++;
        journal.Complete(record);
    }

    // The sum of what was counted, and of what was being counted as much as is there.
    private void ReconcileShared(int counter, bool isClearing)
    {
        byte[]? found = Get(counter);
        long value = found == null ? 0 : HashValue.TryParse(counter, found, out ObjectVersion stored) ? (long)stored.Next : -1;
        long sum = 0;
        var open = new List<int>();
        for (int thread = 0; thread < journal.Threads; thread++)
        {
            int id = thread * Journal.ObjectsPerThread + counter;
            sum += (long)journal.ObjectAt(id)->Now.Next;
            if (journal.ObjectAt(id)->InFlight != Change.None)
                open.Add(id);
        }
        if (isClearing && found == null)
        {
            SetShared(counter, 0);
            return;
        }
        if (value < sum || value > sum + open.Count)
            findings.Wrong("a counter of all threads", $"{counter} is {value:N0}; {sum:N0} were counted, and {open.Count} being counted");
        foreach (int id in open)
        {
            if (value > sum++)
                journal.Complete(journal.ObjectAt(id));
            else
                journal.ObjectAt(id)->Withdraw();
        }
        if (value < sum - open.Count || value > sum)
            SetShared(counter, Math.Max(value, 0));
    }

    private void SetShared(int counter, long value)
    {
        for (int thread = 0; thread < journal.Threads; thread++)
        {
            Become(
                thread * Journal.ObjectsPerThread + counter,
                new ObjectVersion
                {
                    Revision = value == 0 ? 0u : 1,
                    Next = thread == 0 ? (ulong)value : 0,
                    Pointer = journal.ObjectAt(thread * Journal.ObjectsPerThread + counter)->Now.Pointer + 1,
                });
        }
    }

    private void CheckOne(int id)
    {
        ObjectVersion now = journal.ObjectAt(id)->Now;
        byte[]? found = Get(id);
        if (IsValue(id, now, found))
            return;
        string where = $"{Where(id, now)}: {HashValue.Describe(id, found)}";
        if (found == null)
            findings.Lost("a record is not there", where);
        else if (now.IsLive)
            findings.Wrong("a record has another value", where);
        else
            findings.Wrong("a record came back", where);
        Drop(id);
    }

    private void CheckWalk()
    {
        var seen = new HashSet<int>();
        long bytes = 0;
        foreach (HashRecord record in database)
        {
            int id = HashValue.IdOf(record.Key.Span, journal.ObjectCount);
            bytes += record.Key.Length + record.Value.Length;
            if (id < 0)
                findings.Leaked("a key that nobody set", Convert.ToHexString(record.Key.Span));
            else if (!seen.Add(id))
                findings.Wrong("a walk gives a record twice", Where(id, journal.ObjectAt(id)->Now));
            else if (!HashValue.IsShared(id) && !IsValue(id, journal.ObjectAt(id)->Now, record.Value.ToArray()))
                findings.Wrong("a walk gives another value", Where(id, journal.ObjectAt(id)->Now));
        }
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            if (!HashValue.IsShared(i) && journal.ObjectAt(i)->Now.IsLive && !seen.Contains(i))
                findings.Lost("a walk leaves a record out", Where(i, journal.ObjectAt(i)->Now));
        }
        if (database.Count != seen.Count)
            findings.Wrong("the count", $"{database.Count:N0}, and {seen.Count:N0} are there");
        if (database.GetStatistics().LiveBytes < bytes)
            findings.Wrong("statistics: live bytes", $"{database.GetStatistics()}, and {bytes:N0} of keys and values");
    }

    private void CheckSums()
    {
        HashVerification verification = database.Verify();
        foreach (string problem in verification.Problems.Take(3))
            findings.Wrong("the verification finds something", problem);
        long began = journal.Tick();
        database.Synchronize();
        journal.RecordFlush(began);
        database.Synchronize(); // what kept removed records dead is free behind the second
        HashStatistics s = database.GetStatistics();
        if (s.FileBytes != s.IndexBytes + s.LiveBytes + s.FreeBytes + s.WaitingBytes || s.WaitingBytes != 0)
            findings.Leaked("room: file = index + live + free + waiting does not hold, or something waits", s.ToString());
        if (s.FileBytes > MostBytes)
            findings.Leaked("the file grows", s.ToString());
    }

    internal byte[]? Get(int id)
    {
        try
        {
            return database.Get(HashValue.KeyOf(id));
        }
        catch (HashDatabaseCorruptException e)
        {
            findings.Wrong("a record can't be read", e.Message);
            return null;
        }
    }

    internal static bool IsValue(int id, in ObjectVersion version, byte[]? found) =>
        version.IsLive ? found != null && found.AsSpan().SequenceEqual(HashValue.Build(id, version)) : found == null;

    private void Become(int id, in ObjectVersion version)
    {
        journal.Begin(journal.ObjectAt(id), version.IsLive ? Change.Replace : Change.Delete, version);
        journal.Complete(journal.ObjectAt(id));
    }

    // So that one fault is counted once.
    internal void Drop(int id)
    {
        _ = database.Remove(HashValue.KeyOf(id));
        Become(id, Dead(id));
    }

    internal static string Where(int id, in ObjectVersion version) =>
        $"record {id} revision {version.Revision} of {version.LengthBytes} and {version.Next}";
}
