using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>The same as <see cref="Dependency"/> with a reference.</summary>
internal readonly record struct PlainDependency(PlainPackage Package, VersionOperator Operator, string? Version);
