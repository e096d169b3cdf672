namespace BigPile.Perf.Catalogs;

/// <summary>One alternative of a dependency: a package by its name, and which of its versions will do.</summary>
/// <param name="Name">The package's name.</param>
/// <param name="Architecture">The qualifier behind the name, such as <c>any</c>.</param>
/// <param name="Operator">How versions compare.</param>
/// <param name="Version">The version to compare with; <see langword="null"/> when any will do.</param>
internal sealed record DependencyTerm(string Name, string? Architecture, VersionOperator Operator, string? Version);
