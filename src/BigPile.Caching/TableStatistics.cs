namespace BigPile.Caching;

/// <summary>What a table holds and did.</summary>
/// <remarks>Until <see cref="CacheReadiness.IsReady"/>, what it holds is what was found so far.</remarks>
/// <param name="EntryCount">Entries.</param>
/// <param name="EntryBytes">Bytes of the entries' payloads: heads, keys and values.</param>
/// <param name="IndexBytes">Bytes of the index, in process memory.</param>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed by their key, their tag, or all together.</param>
public sealed record TableStatistics(
    long EntryCount, long EntryBytes, long IndexBytes, long Hits, long Misses, long Puts, long Removals)
{
    /// <summary>
    /// Bytes that the entries take in the pile: payloads, headers and slack; objects that pointers lead to are not counted.
    /// </summary>
    public long BlockBytes { get; init; }

    /// <summary>Bytes in process memory of what entries are evicted by, queues and what they remember; none without a limit.</summary>
    public long EvictionBytes { get; init; }

    /// <summary>What a limit in bytes is compared with: blocks, index and queues.</summary>
    public long TotalBytes => BlockBytes + IndexBytes + EvictionBytes;

    /// <summary>Puts of keys that were new.</summary>
    public long Inserts { get; init; }

    /// <summary>Puts that were refused because everything there is worth more.</summary>
    public long Collisions { get; init; }

    /// <summary>Entries that had to make room for others.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries whose time was over.</summary>
    public long Expirations { get; init; }

    /// <summary>
    /// Entries that left memory at a limit and are in a file, from where they come back; see <see cref="PileCacheOptions.SpillDirectory"/>.
    /// </summary>
    public long SpilledEntries { get; init; }

    /// <summary>Bytes of that file.</summary>
    public long SpilledBytes { get; init; }

    /// <summary>Entries that came back from it.</summary>
    public long SpillReturns { get; init; }

    /// <summary>
    /// Entries that left memory and could not be kept: there was no room for the file, or it failed or was damaged with them in it, or they
    /// were too large.
    /// </summary>
    public long SpillLosses { get; init; }
}
