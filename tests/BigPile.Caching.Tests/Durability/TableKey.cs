namespace BigPile.Caching.Tests.Durability;

/// <summary>A key of a table.</summary>
/// <param name="Table">The table's place in the order in which tables were made.</param>
/// <param name="Key">The key.</param>
internal readonly record struct TableKey(int Table, long Key)
{
    public override string ToString() => $"{Table}/{Key}";
}
