using System;
using System.Linq;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Hash;

/// <summary>After a start of the machine: what was synchronized is there as it was or younger, and nothing older is.</summary>
internal sealed unsafe partial class HashTarget
{
    private void ReconcileOtherBoot()
    {
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            if (!HashValue.IsShared(i))
                ReconcileOtherBoot(i, journal.ObjectAt(i));
        }
        for (int counter = 0; counter < HashValue.SharedCounters; counter++)
            ReconcileSharedOtherBoot(counter);
        if (journal.ClearAt(ClearTable)->IsInFlight)
            journal.ClearAt(ClearTable)->Complete(new EntryState { End = journal.Tick() });
    }

    private void ReconcileOtherBoot(int id, ObjectRecord* record)
    {
        ObjectVersion flushed = record->FlushedAt(journal.FlushedUpTo);
        ObjectVersion now = record->Now;
        byte[]? found = Get(id);
        ObjectVersion version = found == null ? Dead(id) : Find(id, record, flushed, found);
        bool mayBeGone = !flushed.IsLive || now.Pointer != flushed.Pointer || record->InFlight == Change.Delete
            || journal.ClearAt(ClearTable)->IsInFlight;
        if (found == null && !mayBeGone)
            findings.Lost("after another start, a synchronized record is not there", Where(id, flushed));
        if (found != null && IsOlder(version, flushed))
        {
            findings.Wrong(
                "after another start, a record is older than what was synchronized", $"{Where(id, version)}; {Where(id, flushed)}");
        }
        if (!IsValue(id, now, found))
            journal.Head->Undone++;
        if (found != null && !IsValue(id, version, found))
        {
            Drop(id); // of a value that says of itself only whose it is, nothing can be told later
            return;
        }
        Become(id, version with { Pointer = Math.Max(version.Pointer, now.Pointer) });
    }

    private ObjectVersion Find(int id, ObjectRecord* record, in ObjectVersion flushed, byte[] found)
    {
        foreach (ObjectVersion candidate in new[] { record->Now, record->Then, flushed })
        {
            if (candidate.IsLive && IsValue(id, candidate, found))
                return candidate;
        }
        if (HashValue.TryParse(id, found, out ObjectVersion version))
            return version;
        byte[] shortest = ValueBytes.Build(id, uint.MaxValue, 0, ValueBytes.HeadBytes)[..8];
        int common = Math.Min(found.Length, shortest.Length);
        bool isOwn = found.AsSpan(0, common).SequenceEqual(shortest.AsSpan(0, common));
        if (HashValue.IsCounter(id) || found.Length >= ValueBytes.HeadBytes || !isOwn)
            findings.Wrong("after another start, a record is not what was set", $"record {id}: {HashValue.Describe(id, found)}");
        return flushed.IsLive ? flushed : new ObjectVersion { Revision = flushed.NextRevision };
    }

    private static bool IsOlder(in ObjectVersion found, in ObjectVersion flushed) =>
        found.Revision < (flushed.IsLive ? flushed.Revision : flushed.NextRevision)
        || (found.Revision == flushed.Revision && found.Next < flushed.Next);

    private void ReconcileSharedOtherBoot(int counter)
    {
        byte[]? found = Get(counter);
        ObjectVersion stored = default;
        bool isRight = found == null || HashValue.TryParse(counter, found, out stored);
        long most = 0;
        int[] ids = [.. Enumerable.Range(0, journal.Threads).Select(thread => thread * Journal.ObjectsPerThread + counter)];
        foreach (int id in ids)
            most += (long)Math.Max(journal.ObjectAt(id)->Now.Next, journal.ObjectAt(id)->Then.Next);
        bool wasCleared = ids.Any(id => journal.ObjectAt(id)->Now.Pointer != journal.ObjectAt(id)->FlushedAt(journal.FlushedUpTo).Pointer)
            || journal.ClearAt(ClearTable)->IsInFlight;
        long least = wasCleared ? 0 : ids.Sum(id => (long)journal.ObjectAt(id)->FlushedAt(journal.FlushedUpTo).Next);
        if (!isRight || (long)stored.Next < least || (!wasCleared && (long)stored.Next > most))
            findings.Wrong("after another start, a counter of all threads", $"{counter} is {stored.Next:N0}, not {least:N0} to {most:N0}");
        ulong removals = ids.Max(id => journal.ObjectAt(id)->Now.Pointer);
        foreach (int id in ids)
        {
            Become(id, new ObjectVersion
            {
                Revision = stored.Revision, Next = id == counter ? stored.Next : 0, Pointer = removals,
            });
        }
    }
}
