using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>A dependency of a package in the pile.</summary>
/// <param name="Package">The <see cref="Graphs.Package"/> that it leads to.</param>
/// <param name="Operator">How versions compare.</param>
/// <param name="Version">The version to compare with; <see langword="null"/> when any will do.</param>
internal readonly record struct Dependency(PilePointer Package, VersionOperator Operator, string? Version);
