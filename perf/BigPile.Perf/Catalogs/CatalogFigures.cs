namespace BigPile.Perf.Catalogs;

/// <summary>What a catalog has.</summary>
/// <param name="Packages">Packages; one in two versions is two.</param>
/// <param name="Names">Different names of packages.</param>
/// <param name="Dependencies">Dependencies, each with all its alternatives counted once.</param>
/// <param name="Edges">Dependencies of those that lead to a package of the catalog.</param>
/// <param name="Missing">The other ones: no alternative is in the catalog, or all are virtual.</param>
/// <param name="Alternatives">Dependencies that offer more than one package.</param>
/// <param name="LaterAlternatives">Edges that lead to another alternative than the first one, which is not in the catalog.</param>
internal readonly record struct CatalogFigures(
    int Packages, int Names, int Dependencies, int Edges, int Missing, int Alternatives, int LaterAlternatives);
