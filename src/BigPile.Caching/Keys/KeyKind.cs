namespace BigPile.Caching.Keys;

/// <summary>The key types that a table may have, as stored in its definition.</summary>
internal enum KeyKind : byte
{
    String = 1,
    Int64 = 2,
    Guid = 3,
    Int32 = 4,

    /// <summary>
    /// Any other type, in the bytes that the codec makes of objects, also where equal ones differ: before <see cref="Normal"/>, and where
    /// only a codec of the application's knows the type.
    /// </summary>
    Object = 5,

    /// <summary>Any other type, in bytes that are the same where numbers and instants in the key are equal.</summary>
    Normal = 6,
}
