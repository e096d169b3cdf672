using System;
using System.Collections.Generic;

namespace BigPile.Caching.SingleFlight;

/// <summary>A running factory as its table sees it: whether something newer happened to its key since it began.</summary>
/// <param name="id">Identifies the run within the table.</param>
/// <param name="hash">The key's hash.</param>
/// <param name="startVersion">Entries of higher versions were put after the run began.</param>
/// <param name="tags">The tag hashes of the entry to be put, as far as they are known, and of the one that it replaces.</param>
internal sealed class FlightTicket(ulong id, ulong hash, ulong startVersion, ulong[] tags)
{
    private volatile bool _isOutdated; // set by any thread; never cleared
    private ulong[] _tags = tags; // guarded by the lock of FlightTickets
    private HashSet<ulong>? _removedTags; // others that were removed since it began; guarded by the same lock

    internal ulong Id => id;

    internal ulong Hash => hash;

    internal ulong StartVersion => startVersion;

    /// <summary>Whether the value must not be kept. Waiting callers still get it.</summary>
    internal bool IsOutdated => _isOutdated;

    /// <summary>The next run with the same hash tag. Guarded by the lock of <see cref="FlightTickets"/>.</summary>
    internal FlightTicket? Next { get; private set; }

    /// <summary>Adds tags that its factory has chosen. One that was removed since it began outdates it.</summary>
    /// <returns>Whether it did.</returns>
    internal bool AddTags(ReadOnlySpan<ulong> more)
    {
        _tags = [.. _tags, .. more];
        if (_removedTags?.Overlaps(more.ToArray()) != true)
            return false;
        Outdate();
        return true;
    }

    /// <summary>Notes the removal of a tag.</summary>
    /// <returns>Whether the entry has it.</returns>
    internal bool IsOutdatedBy(ulong tag)
    {
        if (!_tags.AsSpan().Contains(tag))
        {
            (_removedTags ??= []).Add(tag);
            return false;
        }
        Outdate();
        return true;
    }

    /// <summary>Links it before another run.</summary>
    internal void LinkTo(FlightTicket? next) => Next = next;

    internal void Outdate() => _isOutdated = true;
}
