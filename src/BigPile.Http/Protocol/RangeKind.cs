namespace BigPile.Http.Protocol;

/// <summary>The outcome of a Range header.</summary>
internal enum RangeKind
{
    Whole,
    Part,
    Unsatisfiable,
}
