using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Externalizes a value: moves it from its entry to an object of its own.</summary>
/// <remarks>
/// It is one call of the pile, so a flush has all or nothing. After a kill the slot gets a higher generation when the pile is opened again,
/// so the object's pointer is never reused.
/// </remarks>
internal static class Externalization
{
    /// <summary>Puts a value again as an object that its entry owns.</summary>
    /// <param name="core">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="value">The value.</param>
    /// <param name="kind">Its kind.</param>
    /// <param name="entry">The entry; its version must be unchanged.</param>
    /// <param name="pointer">The object.</param>
    /// <param name="attempt">The number of earlier attempts; see <see cref="Reclaimer.Reclaim(int)"/>.</param>
    /// <returns>
    /// What happened: <see langword="null"/> when the entry has another version, <see cref="PutResult.Collision"/> when the table has no
    /// space for it. Nothing has changed then.
    /// </returns>
    internal static PutResult? Externalize(
        this TableCore core, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntryCopy entry, out PilePointer pointer,
        int attempt = 0)
    {
        bool hasSpace = true;
        CriticalRegion critical = core.EnterWriter();
        try
        {
            // Filled, and free by its header until PublishLocked publishes the entry that points to it, and then the object. A kill before
            // that leaves a dead pointer, and the old entry. The other order would leak the object for good.
            var externalized = new ExternalizedValue(core.Pile.Entries.FillObject(value), EntryHead.BlockKindOf(kind), value.Length);
            CrashPoints.Pass(CrashPoint.ExternalizeBeforeEntry);
            pointer = externalized.Pointer;
            return core.PutPointerInRegion(critical, key, entry, externalized);
        }
        catch (PileFullException e) when (core.Pile.Blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            hasSpace = false; // retried once a flush has completed the pending frees
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            core.Pile.Blocks.ExitAfterFree(critical);
        }
        attempt = core.PrepareRetry(key, hasSpace, attempt);
        return core.Externalize(key, value, kind, entry, out pointer, attempt);
    }

    private static PutResult? PutPointerInRegion(
        this TableCore core, CriticalRegion critical, in KeyProbe key, in EntryCopy entry, ExternalizedValue externalized)
    {
        Debug.Assert(externalized.Pointer.IsValid, "An entry with a dead pointer is taken for the trace of a kill.");
        ulong word = externalized.Pointer.ToUInt64();
        ReadOnlySpan<byte> bytes = MemoryMarshal.AsBytes(new ReadOnlySpan<ulong>(in word));
        // A use, written here rather than recorded for an entry that goes.
        EntryCopy used = entry.SlidingTicks == 0
            ? entry
            : entry with { ExpiresAt = EntryTimes.RenewalOf(entry.SlidingTicks, entry.SlidingEnd, core.Clock.Now) };
        try
        {
            var request = new PutRequest(bytes, ValueKind.Pointer, Condition.Of(entry.Info.Version), externalized);
            return core.PutInRegion(critical, key, used.Spec, request, out _);
        }
        finally
        {
            externalized.AbandonUnlessLive(core.Pile); // refused, or an exception
        }
    }
}
