using BigPile.Allocation;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>The state of one put. Owned by the calling thread.</summary>
internal unsafe struct PutContext
{
    /// <summary>The critical region of the calling thread.</summary>
    internal CriticalRegion Critical;

    /// <summary>Head, key and value of the new entry, in bytes.</summary>
    internal long PayloadBytes;

    /// <summary>The time in ticks; read once, before any lock.</summary>
    internal long Now;

    /// <summary>Whether it counts for the limits.</summary>
    internal bool IsLimited;

    /// <summary>What was taken from the limits. Released unless the entry is published.</summary>
    internal Reservation Reserved;

    /// <summary>The evictor queue for a new entry, where it was chosen already because the table was full.</summary>
    internal EntryQueue Queue;

    /// <summary>Whether the new entry's line bit says main queue.</summary>
    internal readonly bool IsForMain => Queue == EntryQueue.Main;

    /// <summary>The allocated block, invisible until published.</summary>
    internal Slot Slot;

    /// <summary>The version of the new entry; 0: not drawn yet.</summary>
    internal ulong Version;

    /// <summary>The change of the table's counters.</summary>
    internal BlockCount Added;

    /// <summary>The open intent; null for an index in process memory.</summary>
    internal Intent* Intent;

    /// <summary>The result; <see langword="null"/>: the condition was not met.</summary>
    internal PutResult? Result;

    /// <summary>Why nothing was done: there is no space for a block, or for a line of the index.</summary>
    internal PileException? Failure;

    /// <summary>Whether the new block is live: the slot must not be abandoned.</summary>
    internal bool IsPublished;

    /// <summary>Whether the entry must be entered into a queue of the evictor.</summary>
    internal bool IsNewInIndex;

    /// <summary>Whether the reservation was outdated, and the put must start over.</summary>
    internal bool IsRetry;
}
