namespace BigPile.Caching.Keys;

/// <summary>The key types that a table may have, as stored in its definition.</summary>
internal enum KeyKind : byte
{
    String = 1,
    Int64 = 2,
    Guid = 3,
    Int32 = 4,

    /// <summary>Any other type, in the codec's bytes.</summary>
    Object = 5,
}
