using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Index;

namespace BigPile.Caching.SingleFlight;

/// <summary>The running factories of a table, so that changes to their keys can outdate them.</summary>
/// <remarks>
/// Keyed by the hash tag that the index keeps. Keys with the same tag outdate each other, which costs one more run. Lock order: a bucket's
/// lock, then this one. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class FlightTickets
{
    private readonly Lock _lock = new(); // guards all that follows, and the tickets' Next
    private readonly Dictionary<ulong, FlightTicket> _byTag = []; // the first run of each hash tag
    private ulong _lastId; // ids of runs, from 1
    private int _count; // runs; read without the lock

    /// <summary>Whether any factory runs. It becomes true only under the lock of the key's bucket.</summary>
    internal bool IsAny => Volatile.Read(ref _count) != 0;

    /// <summary>Adds a run. The lock of the key's bucket is held.</summary>
    internal FlightTicket Begin(ulong hash, ulong startVersion, ulong[] tags)
    {
        lock (_lock)
        {
            ulong tag = IndexSlot.TagOf(hash);
            var ticket = new FlightTicket(++_lastId, hash, startVersion, tags);
            ticket.LinkTo(_byTag.GetValueOrDefault(tag));
            _byTag[tag] = ticket;
            Volatile.Write(ref _count, _count + 1);
            return ticket;
        }
    }

    internal void End(FlightTicket ticket)
    {
        lock (_lock)
        {
            Volatile.Write(ref _count, _count - 1);
            ulong tag = IndexSlot.TagOf(ticket.Hash);
            FlightTicket first = _byTag[tag];
            if (first != ticket)
                Before(first, ticket).LinkTo(ticket.Next);
            else if (ticket.Next == null)
                _byTag.Remove(tag);
            else
                _byTag[tag] = ticket.Next;
        }
    }

    /// <summary>Whether a run may keep its value though its key has an entry of this version; 0: none. The bucket's lock is held.</summary>
    internal bool MayKeep(ulong hash, ulong id, ulong version)
    {
        lock (_lock)
        {
            for (FlightTicket? ticket = _byTag.GetValueOrDefault(IndexSlot.TagOf(hash)); ticket != null; ticket = ticket.Next)
            {
                if (ticket.Id == id)
                    return !ticket.IsOutdated && version <= ticket.StartVersion; // a higher one was put since
            }
            return false;
        }
    }

    /// <summary>
    /// Outdates the runs of a hash tag that began before a version: an entry leaves the index, or a key is removed. The bucket's lock is
    /// held.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void OutdateLocked(ulong tag, ulong version)
    {
        // The usual cost: one load. It misses no run of this key, as that begins under the bucket's lock, which the caller holds.
        if (IsAny)
            Outdate(tag, version);
    }

    private void Outdate(ulong tag, ulong version)
    {
        lock (_lock)
        {
            for (FlightTicket? ticket = _byTag.GetValueOrDefault(tag); ticket != null; ticket = ticket.Next)
            {
                if (ticket.StartVersion < version)
                    ticket.Outdate();
            }
        }
    }

    /// <summary>Adds tags to those of the entry that a run will put, before it does.</summary>
    /// <returns>Whether one of them was removed since the run began: it is outdated, which those who joined since did not see.</returns>
    internal bool AddTags(FlightTicket ticket, ReadOnlySpan<ulong> tags)
    {
        if (tags.IsEmpty)
            return false;
        lock (_lock)
        {
            Debug.Assert(Chain(_byTag[IndexSlot.TagOf(ticket.Hash)]).Contains(ticket), "Only a run that goes on sees removals.");
            return ticket.AddTags(tags);
        }
    }

    /// <summary>Outdates the runs whose entries will have a tag.</summary>
    /// <param name="tag">The tag's hash; <see langword="null"/>: all runs.</param>
    /// <returns>The hashes of their keys.</returns>
    internal ulong[] OutdateTagged(ulong? tag)
    {
        lock (_lock)
        {
            var outdated = new List<ulong>();
            foreach (FlightTicket ticket in _byTag.Values.SelectMany(Chain))
            {
                if (tag is { } one && !ticket.IsOutdatedBy(one))
                    continue;
                ticket.Outdate();
                outdated.Add(ticket.Hash);
            }
            return [.. outdated];
        }
    }

    private static FlightTicket Before(FlightTicket first, FlightTicket ticket)
    {
        FlightTicket before = first;
        while (before.Next != ticket)
            before = before.Next!;
        return before;
    }

    private static IEnumerable<FlightTicket> Chain(FlightTicket first)
    {
        for (FlightTicket? ticket = first; ticket != null; ticket = ticket.Next)
            yield return ticket;
    }
}
