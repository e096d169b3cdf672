using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;

namespace BigPile.Caching.Liveness;

/// <summary>Which kinds of entries a table may hold: without one of a kind, calls need not look for it.</summary>
/// <remarks>
/// Flags may claim too much, never too little, also after a kill: a flag in the index is set before the field, and both before the change
/// that they announce. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe class ContentFlags(TableIndex index)
{
    private bool _hasExpirables = index.HasFlag(IndexHead.ExpirablesFlag); // set by puts and marks; cleared by the sweep alone
    private bool _hadExpirable; // the same, since the round began
    private bool _hasPriorities = index.HasFlag(IndexHead.PrioritiesFlag); // set under a bucket's lock before the slot; stays
    private bool _hasTombstones; // set before the first one is put, or when a walk finds one; stays

    /// <summary>Whether the table may hold entries that expire, or tag marks: without them a sweep has nothing to do.</summary>
    internal bool HasExpirables
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _hasExpirables);
    }

    /// <summary>Whether such an entry or mark was added since the sweep's round began.</summary>
    internal bool HadExpirable => Volatile.Read(ref _hadExpirable);

    /// <summary>Whether entries may have a priority other than Normal.</summary>
    internal bool HasPriorities => Volatile.Read(ref _hasPriorities);

    /// <summary>Whether tombstones may exist; see <see cref="ValueKind.Tombstone"/>.</summary>
    internal bool HasTombstones => Volatile.Read(ref _hasTombstones);

    /// <summary>Records that an entry that may expire, or a mark, was added. The entry's line is marked already.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void MarkExpirable()
    {
        // A store, then a load, with no fence between: the sweep pays for it with the process-wide barrier of EndExpirablesRound. Either
        // the sweep sees this store, or this load sees that the sweep has cleared the flag.
        if (!HadExpirable)
            Volatile.Write(ref _hadExpirable, true); // before the check of what a sweep may clear
        if (!HasExpirables)
            SetExpirables(true);
    }

    /// <summary>Records that an entry of a priority other than Normal is added. The bucket's lock is held.</summary>
    internal void MarkPriorities()
    {
        if (HasPriorities)
            return;
        index.SetFlag(IndexHead.PrioritiesFlag, true);
        Volatile.Write(ref _hasPriorities, true);
    }

    /// <summary>Records that a tombstone is added.</summary>
    internal void MarkTombstones() => Volatile.Write(ref _hasTombstones, true);

    /// <summary>Marks line and table for what a found entry may need: a sweep, or queues by priority.</summary>
    internal void MarkLine(Bucket* line, in EntryHead head)
    {
        if (head.MayBeDead)
        {
            if (!line->MayExpire)
                line->MarkExpiry();
            MarkExpirable();
        }
        if (head.Priority != EntryPriority.Normal)
            MarkPriorities();
    }

    /// <summary>Begins a round of the sweep. A put that does not see this, and so sets nothing, is seen by the round.</summary>
    internal void BeginExpirablesRound()
    {
        Volatile.Write(ref _hadExpirable, false);
        Interlocked.MemoryBarrierProcessWide();
    }

    /// <summary>Ends a round that met no such entry. What was added meanwhile counts.</summary>
    internal void EndExpirablesRound()
    {
        SetExpirables(false);
        // Pairs with MarkExpirable, as its store and load have no fence.
        Interlocked.MemoryBarrierProcessWide();
        if (HadExpirable)
            SetExpirables(true);
    }

    // The flag in the index before the field: a put that finds the field set relies on the flag.
    private void SetExpirables(bool value)
    {
        if (value != Volatile.Read(ref _hasExpirables))
            index.SetFlag(IndexHead.ExpirablesFlag, value);
        Volatile.Write(ref _hasExpirables, value);
    }
}
