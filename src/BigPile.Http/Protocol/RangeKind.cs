namespace BigPile.Http.Protocol;

/// <summary>What a Range header comes to.</summary>
internal enum RangeKind
{
    Whole,
    Part,
    Unsatisfiable,
}
