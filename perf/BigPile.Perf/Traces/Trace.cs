namespace BigPile.Perf.Traces;

/// <summary>Accesses to keys, in the order in which they came. Thread safety: immutable.</summary>
/// <param name="Name">What tables call it: the file's name, or that of a synthetic trace.</param>
/// <param name="Accesses">The keys, numbered from 0 by their first access.</param>
/// <param name="DistinctKeys">How many keys there are.</param>
/// <param name="SizesBytes">Of each key, as it was at its first access, from 1; <see langword="null"/> when the file has no sizes.</param>
internal sealed record Trace(string Name, int[] Accesses, int DistinctKeys, int[]? SizesBytes);
