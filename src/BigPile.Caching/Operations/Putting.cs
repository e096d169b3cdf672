using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Puts a value: reserves its footprint, writes its block, swaps the index slot, then enters the evictor's queues.</summary>
internal static unsafe class Putting
{
    private const long EntriesBetweenGrowths = 31; // a mask: every 32nd insert of a thread

    /// <summary>Puts a value.</summary>
    /// <returns>What happened; <see langword="null"/> when the condition was not met.</returns>
    internal static PutResult? Put(
        this TableCore core, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, Condition condition,
        out EntryInfo info)
    {
        KeyLimits.CheckLength(key.Bytes.Length);
        var request = new PutRequest(value, kind, condition);
        PutResult? result = core.PutAnywhere(key, spec, request, out info);
        if (result == PutResult.Collision)
            result = core.PutAfterSweeps(key, spec, request, out info);
        if (result is not (null or PutResult.Collision))
            core.Meter.RecordPayload(core.Name, value.Length); // outside of critical regions: meter listeners are application code
        return result;
    }

    /// <summary>Puts a value into memory, regardless of spilled entries.</summary>
    /// <exception cref="PileException">The pile is full.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PutResult? PutOnce(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        PutResult? result = core.TryPutOnce(key, spec, request, out info, out PileException? failure);
        if (failure != null)
            Throw(failure);
        return result;
    }

    /// <summary>As <see cref="PutOnce"/>, but does not throw if the pile is full.</summary>
    internal static PutResult? TryPutOnce(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info, out PileException? failure)
    {
        int attempt = 0;
        PutResult? result;
        // Retried outside of the scope: it flushes, or runs the application's comparer.
        while (!core.TryPutInScope(key, spec, request, out result, out info, out failure)
            && core.TryPrepareRetry(key, failure, ref attempt))
            continue;
        return result;
    }

    // Returns false if space or a comparison was lacking. A method of its own: with a loop around its try block the tiered compiler made
    // puts 5 % slower.
    private static bool TryPutInScope(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, out PutResult? result, out EntryInfo info,
        out PileException? failure)
    {
        using ChangeScope scope = core.EnterWriter();
        try
        {
            result = core.PutInRegion(scope.Critical, key, spec, request, out info, out failure);
            return failure == null;
        }
        catch (KeyNotComparedException)
        {
            (result, info, failure) = (null, default, null); // no lock is held any more
            return false;
        }
    }

    [DoesNotReturn]
    private static void Throw(PileException failure) => throw failure;

    // Retries a refused put while sweeps free something, for one round of them at most.
    private static PutResult? PutAfterSweeps(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info)
    {
        info = default;
        // It does not fit into an empty table: no sweep helps.
        if (request.Value.Length >= core.BlockLimitBytes)
            return PutResult.Collision;
        PutResult? result = PutResult.Collision;
        for (int left = core.SweepsForSpace(); result == PutResult.Collision && left > 0 && core.TrySweepForSpace(); left--)
        {
            core.Count(Counter.Collisions, -1); // taken back: only the last refusal counts
            result = core.PutAnywhere(key, spec, request, out info);
        }
        return result;
    }

    private static PutResult? PutAnywhere(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info) =>
        // A tombstone concerns memory only. RemoveSpilling, which has it put, holds the stripe lock and removes the spilled entry itself.
        core.Spill is { } spill && !request.IsTombstone
            ? core.PutSpilling(spill, key, spec, request, out info)
            : core.PutOnce(key, spec, request, out info);

    /// <summary>Puts a value. The caller is in a critical region. If the pile is full, nothing is done.</summary>
    internal static PutResult? PutInRegion(
        this TableCore core, CriticalRegion critical, in KeyProbe key, in EntrySpec spec, in PutRequest request, out EntryInfo info,
        out PileException? failure)
    {
        failure = null;
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "Options do not change meanwhile.");
        core.Index.Prefetch(key.Hash); // the bucket arrives while the entry is written
        bool hasEvicted = false;
        long now = core.Clock.Now; // before any lock: the clock may be application code
        EntryQueue queue = EntryQueue.Undecided; // kept over retries, so that an entry is admitted once
        while (true)
        {
            var change = new PutContext
            {
                Critical = critical,
                Now = now,
                PayloadBytes = (long)EntryHead.BytesFor(spec) + key.Bytes.Length + request.Value.Length,
                IsLimited = core.Evictor != null && !request.IsTombstone,
                Queue = queue,
            };
            try
            {
                if (change.IsLimited)
                {
                    Reservation.Promise promise = core.TryReserve(key, spec, request.Condition, ref change);
                    if (change.Failure == null && promise != Reservation.Promise.Given)
                    {
                        info = default;
                        return core.Refuse(critical, promise, request);
                    }
                    hasEvicted |= change.Reserved.HasEvicted;
                    queue = change.Queue;
                }
                if (change.Failure == null && change.Slot.IsNone) // else TakeBlockFirst took it
                    change.Slot = core.Pile.Entries.Take(change.PayloadBytes, out change.Failure);
                if (change.Failure == null)
                {
                    core.WriteEntry(key, spec, request, change); // a kill leaves a free slot
                    core.SwapLocking(key, spec, request, ref change);
                }
            }
            finally
            {
                core.ReleaseUnpublished(change); // refused, to be retried, a failure or an exception
            }
            if (change.Failure != null)
            {
                failure = change.Failure;
                info = default;
                return null;
            }
            Debug.Assert(!change.IsRetry || !change.IsPublished, "A retry has published nothing.");
            if (change.IsRetry)
                continue; // the bucket has changed since the reservation
            Debug.Assert(
                change.IsPublished == change.Result is not (null or PutResult.Collision), "A stored put is in the index.");
            info = core.Clock.Describe(change.Version, request.Value.Length, spec.ExpiresAt);
            if (change.IsNewInIndex) // after the bucket's lock: those of shards come first
                core.Follow(key, spec, request, change);
            if (change.Result == PutResult.Inserted && hasEvicted) // another entry went for it
                change.Result = PutResult.Overwritten;
            if (change.Result == PutResult.Overwritten)
                core.Counters.Add(critical, Counter.Overwrites);
            return change.Result;
        }
    }

    private static PutResult? Refuse(this TableCore core, CriticalRegion critical, Reservation.Promise promise, in PutRequest request)
    {
        if (promise == Reservation.Promise.ConditionNotMet)
            return null;
        if (!request.IsPromotion)
            core.Counters.Add(critical, Counter.Collisions);
        return PutResult.Collision;
    }

    private static void WriteEntry(this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, in PutContext change)
    {
        Slot slot = change.Slot;
        long payloadBytes = change.PayloadBytes;
        core.PrefetchEntry(key.Hash); // of the entry to replace; the bucket has arrived by now
        // The slot's header still says free, so no reader, walk or recovery takes these bytes for an entry.
        byte* payload = slot.Start + BlockHeader.SizeBytes;
        int keyBytes = key.Bytes.Length;
        EntryHead.Write(payload, core.Id, keyBytes, request.Kind, spec); // the version follows under the bucket's lock
        if (request.IsPromotion)
            EntryHead.SetVersion(payload, request.KeptVersion); // SwapLocking judges the entry by it
        byte* at = payload + EntryHead.BytesFor(spec);
        Debug.Assert(at + keyBytes + request.Value.Length == payload + payloadBytes, "Head, key and value fill the payload.");
        key.Bytes.CopyTo(new Span<byte>(at, keyBytes));
        if (Mutation.HeaderFirst)
            core.Pile.Entries.Publish(slot, payloadBytes);
        CrashPoints.CopyHalf(request.Value, at + keyBytes, CrashPoint.PutHalfOfPayload);
        request.Value.CopyTo(new Span<byte>(at + keyBytes, request.Value.Length));
    }

    // Returns the reservation and the block of a put that was not published.
    private static void ReleaseUnpublished(this TableCore core, in PutContext change)
    {
        if (change.IsPublished)
            return;
        core.EndIntent(change.Intent); // before the block is reused: recovery would take another put's block there for this one
        if (!change.Slot.IsNone)
            core.Pile.Entries.Abandon(change.Slot, change.PayloadBytes);
        if (change.IsLimited)
            core.Usage.Release(change.Reserved.HasEntry ? 1 : 0, change.Reserved.FootprintBytes); // else TakeOver does
    }

    private static void Follow(this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, in PutContext change)
    {
        // A backfill that has yet to reach the bucket enters the entry with the rest.
        if (!request.IsTombstone && !core.IsBackfilledLater(key.Hash, spec.Priority))
            core.Evictor?.Enter(key.Hash, spec.Priority, core.WeightOf(change.PayloadBytes), change.Queue);
        if (!core.Options.FixedIndex && core.Counters.IsTurn(change.Critical, EntriesBetweenGrowths))
            core.Index.GrowFor(core.Counters.Entries);
    }
}
