namespace BigPile.Perf.Graphs;

/// <summary>A reference in a struct: code over structs is compiled for each of them, code over references once for all.</summary>
internal readonly record struct PlainEdge(PlainPackage Package);
