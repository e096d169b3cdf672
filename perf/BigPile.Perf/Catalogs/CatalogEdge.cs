namespace BigPile.Perf.Catalogs;

/// <summary>A dependency whose package was found.</summary>
/// <param name="Target">The package's number.</param>
/// <param name="Operator">How versions compare.</param>
/// <param name="Version">The version to compare with; <see langword="null"/> when any will do.</param>
internal readonly record struct CatalogEdge(int Target, VersionOperator Operator, string? Version);
