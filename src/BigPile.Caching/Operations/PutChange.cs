using BigPile.Allocation;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>One put on its way: what it has, and what has become of it.</summary>
internal unsafe struct PutChange
{
    internal CriticalRegion Critical;
    internal long PayloadBytes;
    internal long Now;

    /// <summary>Whether it counts for a limit.</summary>
    internal bool IsLimited;
    internal Reservation Reserved;

    /// <summary>Into which queue of the evictor it goes if it is a new entry, where that was decided on when there was no room.</summary>
    internal EntryQueue Queue;

    /// <summary>Whether its mark in the index says the main queue.</summary>
    internal readonly bool IsForMain => Queue is EntryQueue.Main or EntryQueue.Filling;

    internal Slot Slot;
    internal ulong Version;

    /// <summary>By how much it changes what the table has.</summary>
    internal BlockCount Added;

    /// <summary>The note of it, while it is on its way in an index that outlives the process.</summary>
    internal Intent* Intent;

    /// <summary>What it did; <see langword="null"/>: its condition was not met.</summary>
    internal PutResult? Result;
    internal bool IsPublished;

    /// <summary>Whether the evictor has to be told.</summary>
    internal bool IsNewInIndex;

    /// <summary>Whether what was reserved was not right any more, so that all begins anew.</summary>
    internal bool IsRetry;
}
