using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Flights;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Moves entries between the memory of a table and what it has spilled, and does to both what is done to a key.</summary>
/// <remarks>
/// The order is in <see cref="SpillStore"/>: under the gate of its key, so nothing of a key is in two places for anybody who asks. An entry
/// comes back with the version that it had, so its age, its tags and whoever knows its version find it as it was. That it may come back
/// is a condition as that of a factory's value: a put or a removal that was faster outdates it.
/// No gate is held inside the pile, and none while another one is being waited for.
/// </remarks>
internal static unsafe class Spilling
{
    private const int MostTries = 8;

    /// <summary>Writes what was evicted. The caller is outside of the pile, and holds no gate.</summary>
    internal static void DrainSpill(this TableCore core)
    {
        if (core.Spill is not { } spill)
            return;
        while (spill.TryNext(out StagedEntry? entry))
        {
            SpillGate gate = spill.GateOf(entry.Hash);
            lock (gate.Keys)
            {
                if (!gate.IsStaged(entry))
                    continue; // put or removed meanwhile, or back already
                if (!core.IsDead(entry.Payload))
                    spill.WriteGated(entry);
                gate.Remove(entry);
            }
        }
    }

    /// <summary>Reads the value of a key that memory did not have, and has it come back.</summary>
    internal static bool TryReadSpilled<TReader>(
        this TableCore core, SpillStore spill, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        info = default;
        PileBuffer block = BufferRental.Rent();
        try
        {
            for (int tries = 0; tries < MostTries; tries++)
            {
                SpillOutcome outcome = core.BringBack(spill, key, block);
                if (outcome == SpillOutcome.Missing)
                    return false;
                if (outcome != SpillOutcome.InMemory)
                    return TryRead(block, ref reader, minVersion, out info);
                if (core.TryReadMemory(key, ref reader, minVersion, out info))
                    return true; // else it is too old, or evicted since
            }
            return false;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    /// <summary>As <see cref="TryReadSpilled"/>, for a call that counts as a hit or a miss.</summary>
    internal static bool TryReadSpilledCounted<TReader>(
        this TableCore core, SpillStore spill, in KeyProbe key, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        bool found = core.TryReadSpilled(spill, key, ref reader, minVersion, out info);
        if (core.CountsReads)
            core.Count(found ? Counter.Hits : Counter.Misses);
        return found;
    }

    /// <summary>Has an entry come back that memory did not have.</summary>
    /// <param name="core">The table.</param>
    /// <param name="spill">What it has spilled.</param>
    /// <param name="key">The key.</param>
    /// <param name="block">Gets the entry's block, where one was found.</param>
    internal static SpillOutcome BringBack(this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block)
    {
        SpillOutcome outcome;
        lock (spill.GateOf(key.Hash).Keys)
            outcome = core.BringBackGated(spill, key, block);
        if (outcome == SpillOutcome.Returned)
            core.DrainSpill(); // others went for it
        return outcome;
    }

    /// <summary>Has an entry come back, for what needs it in memory.</summary>
    /// <returns>Whether it was in memory.</returns>
    /// <exception cref="PileFullException">Nothing in memory may go for it.</exception>
    internal static bool HasComeBack(this TableCore core, SpillStore spill, in KeyProbe key)
    {
        PileBuffer block = BufferRental.Rent();
        try
        {
            SpillOutcome outcome = core.BringBack(spill, key, block);
            if (outcome == SpillOutcome.NoRoom)
            {
                throw new PileFullException(
                    $"An entry of the table '{core.Name}' can't come back to memory: the table is at its limit, and nothing in it may go.");
            }
            return outcome != SpillOutcome.Missing;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    /// <summary>Puts a value, and forgets what was spilled of its key.</summary>
    internal static PutResult? PutSpilling(
        this TableCore core, SpillStore spill, in KeyProbe key, in EntrySpec spec, in PutOrder order, out EntryInfo info)
    {
        PutResult? result;
        lock (spill.GateOf(key.Hash).Keys)
        {
            result = order.Condition.IsOfVersion
                ? core.PutIfGated(spill, key, spec, order, out info)
                : core.PutOnce(key, spec, order, out info);
            if (result is not (null or PutResult.Collision))
                spill.RemoveGated(key.Hash, key.Bytes, info.Version); // not before: a put that is refused has changed nothing
        }
        core.DrainSpill();
        return result;
    }

    /// <summary>Removes a key, wherever it is.</summary>
    /// <returns>Whether it was there.</returns>
    internal static bool RemoveSpilling(this TableCore core, SpillStore spill, in KeyProbe key, Condition condition)
    {
        lock (spill.GateOf(key.Hash).Keys)
        {
            bool wasThere = core.RemoveOnce(key, condition);
            if (!wasThere && core.TryVersionGated(spill, key, out ulong version) && condition.IsMetBy(version))
            {
                core.Count(Counter.Removals);
                wasThere = true;
            }
            if (wasThere || condition.IsNone)
                spill.RemoveGated(key.Hash, key.Bytes);
            return wasThere;
        }
    }

    /// <summary>Frees what is no more by time or tag of the next records in the file.</summary>
    /// <remarks>
    /// Once a walk has gone round, nothing is left that the marks concern which there were at its start: who had looked before whether an
    /// entry is dead has written it by then.
    /// </remarks>
    internal static int SweepSpill(this TableCore core, SpillStore spill, int maxRecords)
    {
        core.DrainSpill();
        if (!spill.Sweep.IsUnderWay)
        {
            ulong marksUpTo = core.Tags.Described.LastVersion;
            spill.PassGates();
            spill.Sweep.Begin(spill.BeginWalk(), marksUpTo);
        }
        int freed = 0;
        for (int i = 0; i < maxRecords && spill.Sweep.TryNext(out ReadOnlyMemory<byte> key, out ReadOnlyMemory<byte> block); i++)
        {
            if (core.IsDead(block.Span) && core.TryFree(spill, key.Span))
                freed++;
        }
        return freed;
    }

    private static bool TryFree(this TableCore core, SpillStore spill, ReadOnlySpan<byte> key)
    {
        ulong hash = core.Hash.Of(key);
        PileBuffer block = BufferRental.Rent();
        try
        {
            lock (spill.GateOf(hash).Keys)
            {
                if (!spill.TryReadGated(hash, key, block, out StagedEntry? staged) || staged != null || !core.IsDead(block.WrittenSpan))
                    return false;
                spill.RemoveGated(hash, key);
                return true;
            }
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    // Nobody else puts the key meanwhile, but what memory has may be evicted at any instant.
    private static PutResult? PutIfGated(
        this TableCore core, SpillStore spill, in KeyProbe key, in EntrySpec spec, in PutOrder order, out EntryInfo info)
    {
        while (true)
        {
            info = default;
            FlightMark? mark = core.BeginFlight(key, []);
            if (mark == null)
            {
                if (order.Condition.IsMetBy(0))
                    return null;
                PutResult? replaced = core.PutOnce(key, spec, order, out info);
                if (replaced != null || !core.TryVersionGated(spill, key, out _))
                    return replaced;
                continue; // evicted since it was seen
            }
            try
            {
                _ = core.TryVersionGated(spill, key, out ulong version);
                if (!order.Condition.IsMetBy(version))
                    return null;
                if (core.PutOnce(key, spec, order.On(Condition.Of(mark)), out info) is { } result)
                    return result;
            }
            finally
            {
                core.Flights.End(mark);
            }
        }
    }

    /// <summary>The version of what was spilled of a key; 0: nothing, or what is no more.</summary>
    private static bool TryVersionGated(this TableCore core, SpillStore spill, in KeyProbe key, out ulong version)
    {
        version = 0;
        PileBuffer block = BufferRental.Rent();
        try
        {
            if (!spill.TryReadGated(key.Hash, key.Bytes, block, out _) || !core.IsBlockOf(key, block.WrittenSpan)
                || core.IsDead(block.WrittenSpan))
            {
                return false;
            }
            fixed (byte* payload = block.WrittenSpan)
                version = new EntryHead(payload).Version;
            return true;
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    private static void Count(this TableCore core, Counter counter)
    {
        ThreadPresence presence = core.Enter();
        try
        {
            core.Counters.Add(presence, counter);
        }
        finally
        {
            core.Pile.Space.Exit(presence);
        }
    }

    private static SpillOutcome BringBackGated(this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block)
    {
        while (true)
        {
            FlightMark? mark = core.BeginFlight(key, []);
            if (mark == null)
                return SpillOutcome.InMemory;
            try
            {
                if (core.TryReturnGated(spill, key, block, mark) is { } outcome)
                    return outcome;
            }
            finally
            {
                core.Flights.End(mark);
            }
        }
    }

    /// <returns><see langword="null"/> when something happened to the key meanwhile, or to one that looks like it.</returns>
    private static SpillOutcome? TryReturnGated(this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, FlightMark mark)
    {
        block.Clear();
        if (!spill.TryReadGated(key.Hash, key.Bytes, block, out StagedEntry? staged))
            return SpillOutcome.Missing;
        if (!core.IsBlockOf(key, block.WrittenSpan) || core.IsDead(block.WrittenSpan))
        {
            spill.RemoveGated(key.Hash, key.Bytes);
            return SpillOutcome.Missing;
        }
        PutResult? result = core.PutBack(key, block.WrittenSpan, mark);
        if (result is null)
            return null;
        if (result == PutResult.Collision)
            return SpillOutcome.NoRoom;
        spill.EndReturnGated(key.Hash, key.Bytes, staged); // it may have been evicted, and staged, once more by now: that one stays
        return SpillOutcome.Returned;
    }

    private static PutResult? PutBack(this TableCore core, in KeyProbe key, ReadOnlySpan<byte> block, FlightMark mark)
    {
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            Span<ulong> tags = stackalloc ulong[EntryHead.MaxTags];
            for (int i = 0; i < head.TagCount; i++)
                tags[i] = head.Tag(i);
            var spec = new EntrySpec
            {
                ExpiresAt = head.IsSliding ? core.RenewedExpiry(head) : head.ExpiresAt,
                SlidingTicks = head.IsSliding ? head.SlidingTicks : 0,
                SlidingEnd = head.IsSliding ? head.SlidingEnd : head.ExpiresAt,
                Priority = head.Priority,
                Tags = tags[..head.TagCount],
            };
            var order = new PutOrder(block[head.ValueOffset..], head.Kind, Condition.Of(mark)) { KeptVersion = head.Version };
            try
            {
                return core.PutOnce(key, spec, order, out _);
            }
            catch (PileFullException)
            {
                return PutResult.Collision; // the pile has no room, and the table may keep what it has
            }
        }
    }

    private static long RenewedExpiry(this TableCore core, in EntryHead head) =>
        Math.Min(core.SlidingEndOf(head), CacheClock.Add(core.Clock.Now, head.SlidingTicks));

    private static bool TryRead<TReader>(PileBuffer block, ref TReader reader, ulong minVersion, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            int valueBytes = block.LengthBytes - head.ValueOffset;
            info = head.Describe(valueBytes);
            if (head.Version < minVersion)
                return false;
            reader.Read(payload + head.ValueOffset, valueBytes, EntryHead.BlockKindOf(head.Kind));
            return true;
        }
    }

    // What comes from a file is looked at before it is believed.
    private static bool IsBlockOf(this TableCore core, in KeyProbe key, ReadOnlySpan<byte> block)
    {
        if (block.Length < EntryHead.ShortBytes)
            return false;
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            return head.TableId == core.Id && head.TagCount <= EntryHead.MaxTags && head.FitsIn(block.Length)
                && new ReadOnlySpan<byte>(head.Key, head.KeyBytes).SequenceEqual(key.Bytes);
        }
    }

    private static bool IsDead(this TableCore core, ReadOnlySpan<byte> block)
    {
        Debug.Assert(block.Length >= EntryHead.ShortBytes, "A block begins with a head.");
        fixed (byte* payload = block)
        {
            long now = 0;
            return core.IsDead(new EntryHead(payload), ref now);
        }
    }
}
