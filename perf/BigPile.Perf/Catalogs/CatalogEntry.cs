namespace BigPile.Perf.Catalogs;

/// <summary>A package of the catalog, with its dependencies parsed: each of them a list of alternatives.</summary>
internal sealed record CatalogEntry(CatalogRecord Record, DependencyTerm[][] Dependencies);
