using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Eviction;

/// <summary>How often each fingerprint is in each queue. A check of a table compares it with the index.</summary>
/// <remarks>Thread safety: none.</remarks>
internal sealed class EvictionCensus
{
    private readonly Dictionary<(int Shard, EntryPriority Priority, bool IsMain, uint Fingerprint), int> _counts = [];

    internal void Add(int shard, EntryPriority priority, bool isMain, uint fingerprint) =>
        CollectionsMarshal.GetValueRefOrAddDefault(_counts, (shard, priority, isMain, fingerprint), out _)++;

    /// <summary>Subtracts one.</summary>
    /// <returns><see langword="false"/> if there is none.</returns>
    internal bool TryTake(int shard, EntryPriority priority, bool isMain, uint fingerprint) =>
        CollectionsMarshal.GetValueRefOrAddDefault(_counts, (shard, priority, isMain, fingerprint), out _)-- > 0;
}
