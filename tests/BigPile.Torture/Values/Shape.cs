namespace BigPile.Torture.Values;

/// <summary>What a value is stored as.</summary>
internal enum Shape
{
    Bytes,
    Ascii,
    Utf8,
    Node,
}
