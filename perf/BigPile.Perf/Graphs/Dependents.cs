namespace BigPile.Perf.Graphs;

/// <summary>
/// The packages that depend on one. An object of its own, so that reading a package that all need does not read them all.
/// </summary>
internal sealed class Dependents
{
    internal PilePointer[] Packages { get; init; } = [];
}
