namespace BigPile.Perf.Graphs;

/// <summary>What was measured of the graph of plain objects.</summary>
internal sealed record PlainResult(double LoadSeconds, long ManagedBytes, double FullCollectionMs, GraphAnswers Answers);
