namespace BigPile.Perf.Graphs;

/// <summary>All packages counted once.</summary>
/// <param name="Threads">The threads that shared them.</param>
/// <param name="Counts">What each package reaches, by its number.</param>
/// <param name="EdgesWalked">The edges that all walks followed.</param>
/// <param name="Seconds">How long it took.</param>
internal sealed record ClosureRun(int Threads, int[] Counts, long EdgesWalked, double Seconds);
