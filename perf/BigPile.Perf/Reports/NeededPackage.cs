namespace BigPile.Perf.Reports;

/// <summary>A package and the number of its transitive dependents.</summary>
internal sealed record NeededPackage(string Name, int Dependents);
