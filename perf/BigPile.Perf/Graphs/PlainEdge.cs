namespace BigPile.Perf.Graphs;

/// <summary>A reference in a struct: generic code is compiled separately for structs, but shared for references.</summary>
internal readonly record struct PlainEdge(PlainPackage Package);
