using System;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>Chooses victims among the entries of one priority in one shard of a table.</summary>
/// <remarks>
/// It knows entries by the fingerprints of their hashes, and learns from its host whether they were used. A hit only counts a use in the
/// index. Each entry has one bit there for the policy: whether it is in the main queue, or in a small one, where new entries are tried.
/// Thread safety: none; the owner has a lock. <see cref="Weight"/>, <see cref="SizeBytes"/>, <see cref="NeededBytes"/> and
/// <see cref="Prefetch"/> may be called without it.
/// </remarks>
internal interface IEvictionPolicy : IDisposable
{
    /// <summary>The number of fingerprints, including those of entries that no longer exist.</summary>
    long Count { get; }

    /// <summary>The estimated total weight of its entries.</summary>
    double Weight { get; }

    long SizeBytes { get; }

    /// <summary><see cref="SizeBytes"/>, and the memory that the first eviction would allocate.</summary>
    /// <param name="capacity">The capacity at that time, in entries.</param>
    long NeededBytes(long capacity);

    void SetCapacity(TableCapacity capacity);

    /// <summary>Counts a new entry, and chooses its queue. Not called while the table is filling up: then that is the main queue.</summary>
    /// <param name="fingerprint">The fingerprint of its key.</param>
    /// <param name="weight">Its weight.</param>
    /// <param name="isFull">Whether other entries have to go for it.</param>
    /// <returns>Whether it goes to the main queue.</returns>
    bool Admit(uint fingerprint, double weight, bool isFull);

    /// <summary>Enters an entry whose bit in the index is set.</summary>
    /// <param name="fingerprint">Its fingerprint.</param>
    /// <param name="isInMain">Its bit.</param>
    /// <param name="weight">Its weight; 0: unknown.</param>
    void Enter(uint fingerprint, bool isInMain, double weight);

    /// <summary>Evicts one entry.</summary>
    /// <returns><see langword="false"/> when there is none to evict.</returns>
    bool TryEvict();

    /// <summary>Checks one fingerprint, and drops it if its entry no longer exists.</summary>
    void CheckOne();

    /// <summary>Drops fingerprints that are queued more often than entries have them, the oldest first; many, but maybe not all.</summary>
    void DropRepeats();

    /// <summary>Prefetches what <see cref="Admit"/> reads: it does not access the memory.</summary>
    void Prefetch(uint fingerprint);

    /// <summary>Visits all fingerprints: whether they are in the main queue, and their estimated weights.</summary>
    void ForEach(Action<uint, bool, double> visit);

    /// <summary>Checks the policy's invariants.</summary>
    /// <exception cref="InvalidOperationException">One does not hold; the message says which.</exception>
    void CheckInvariants(string place);

    void Clear();
}

/// <summary>The capacity of a table: a number of entries, and their total weight.</summary>
/// <param name="Entries">The entries, at least one.</param>
/// <param name="Weight">Their weight: bytes in a table that is limited in bytes, else one for each.</param>
internal readonly record struct TableCapacity(long Entries, double Weight)
{
    internal double MeanWeight => Weight / Entries;
}
