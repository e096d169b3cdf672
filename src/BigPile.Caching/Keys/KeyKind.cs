namespace BigPile.Caching.Keys;

/// <summary>The key types that a table may have, as stored in its definition.</summary>
internal enum KeyKind : byte
{
    String = 1,
    Int64 = 2,
    Guid = 3,
    Int32 = 4,

    /// <summary>
    /// Any other type, as the codec encodes objects, where equal keys may have different bytes. Tables older than <see cref="Normal"/>, and
    /// types that only an application's codec knows.
    /// </summary>
    Object = 5,

    /// <summary>Any other type, in normal form: equal numbers and instants in a key have equal bytes.</summary>
    Normal = 6,
}
