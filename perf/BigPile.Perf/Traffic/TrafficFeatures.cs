namespace BigPile.Perf.Traffic;

/// <summary>What the server can do beyond single entries.</summary>
/// <param name="Lifetimes">Entries that live for a time.</param>
/// <param name="StatesLifetimes">Reads that say how long their entry still lives.</param>
/// <param name="Batches">Reads and writes of many entries.</param>
internal sealed record TrafficFeatures(bool Lifetimes, bool StatesLifetimes, bool Batches);
