namespace BigPile.Torture.Values;

/// <summary>What a value is stored as.</summary>
internal enum Shape
{
    Bytes,
    Ascii,
    Utf8,
    Node,

    /// <summary>Bytes that were allocated, and of which only parts were written.</summary>
    Raw,

    /// <summary>Bytes that were allocated, and not written to.</summary>
    Zeros,
}
