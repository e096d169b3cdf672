namespace BigPile.Caching;

/// <summary>What a table holds.</summary>
/// <param name="EntryCount">Entries.</param>
/// <param name="EntryBytes">Bytes of the entries' payloads: heads, keys and values.</param>
/// <param name="IndexBytes">Bytes of the index, in process memory.</param>
/// <param name="Hits">Reads that found their key.</param>
/// <param name="Misses">Reads that did not.</param>
/// <param name="Puts">Values put.</param>
/// <param name="Removals">Entries removed.</param>
public sealed record TableStatistics(
    long EntryCount, long EntryBytes, long IndexBytes, long Hits, long Misses, long Puts, long Removals);
