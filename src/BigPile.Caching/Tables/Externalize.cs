using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Externalizes a value: moves it from its entry to an object of its own.</summary>
/// <remarks>
/// It is one call of the pile, so a flush has all or nothing. After a kill the slot gets a higher generation when the pile is opened again,
/// so the object's pointer is never reused.
/// </remarks>
internal readonly struct Externalize(TableEngine table)
{
    /// <summary>Puts a value again as an object that its entry owns.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="kind">Its kind.</param>
    /// <param name="entry">The entry; its version must be unchanged.</param>
    /// <param name="pointer">The object.</param>
    /// <returns>
    /// What happened: <see cref="Condition.NotMet"/> when the entry has another version, <see cref="PutResult.Collision"/> when the table
    /// has no space for it. Nothing has changed then.
    /// </returns>
    internal PutResult Run(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntryCopy entry, out PilePointer pointer)
    {
        var retry = new Retry(table);
        PileException? failure;
        do
        {
            using ChangeScope scope = table.EnterWriter();
            try
            {
                PutResult result = ExternalizeInRegion(scope.Critical, key, value, kind, entry, out pointer, out failure);
                if (failure == null)
                    return result;
            }
            catch (KeyNotComparedException)
            {
                failure = null; // no lock is held any more
            }
        }
        while (retry.TryPrepare(key, failure));
        throw failure;
    }

    private PutResult ExternalizeInRegion(
        CriticalRegion critical, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntryCopy entry,
        out PilePointer pointer, out PileException? failure)
    {
        // Filled, and free by its header until Upsert.Publish publishes the entry that points to it, and then the object. A kill before
        // that leaves a dead pointer, and the old entry. The other order would leak the object for good.
        Slot slot = table.Heap.FillObject(critical, value, out failure);
        pointer = default;
        if (failure != null)
            return Condition.NotMet;
        var externalized = new ExternalizedValue(slot, EntryHead.BlockKindOf(kind), value.Length);
        CrashPoints.Pass(CrashPoint.ExternalizeBeforeEntry);
        pointer = externalized.Pointer;
        return PutPointerInRegion(critical, key, entry, externalized, out failure);
    }

    private PutResult PutPointerInRegion(
        CriticalRegion critical, in KeyProbe key, in EntryCopy entry, ExternalizedValue externalized,
        out PileException? failure)
    {
        Debug.Assert(externalized.Pointer.IsValid, "An entry with a dead pointer is taken for the trace of a kill.");
        ulong word = externalized.Pointer.ToUInt64();
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in word));
        // A use, written here rather than recorded for an entry that goes.
        EntryCopy used = entry.SlidingTicks == 0
            ? entry
            : entry with { ExpiresAt = EntryTimes.RenewalOf(entry.SlidingTicks, entry.SlidingEnd, table.Clock.Now) };
        try
        {
            var request = new PutRequest(bytes, ValueKind.Pointer, Condition.Of(entry.Info.Version), externalized);
            EntrySpec spec = used.Spec; // in this frame: the put points to it
            scoped Upsert upsert = default;
            upsert.Prepare(table, key, spec, request);
            upsert.RunInRegion(critical);
            failure = upsert.Failure;
            return upsert.Result;
        }
        finally
        {
            externalized.AbandonUnlessLive(table.Heap); // refused, or an exception
        }
    }
}
