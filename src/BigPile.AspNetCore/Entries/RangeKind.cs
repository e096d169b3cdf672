namespace BigPile.AspNetCore.Entries;

/// <summary>What a Range header comes to.</summary>
internal enum RangeKind
{
    Whole,
    Part,
    Unsatisfiable,
}
