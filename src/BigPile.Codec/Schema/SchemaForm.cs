namespace BigPile.Codec.Schema;

/// <summary>
/// The shape of a type's content, by which it can be skipped when the type no longer exists. The numbers are part of the file format.
/// </summary>
internal enum SchemaForm : byte
{
    /// <summary>An array of the fields of an object.</summary>
    Fields = 0,

    /// <summary>An array of the fields of a structure.</summary>
    Structure = 1,

    /// <summary>One value without identity.</summary>
    Value = 2,

    /// <summary>One value that is an object.</summary>
    ObjectValue = 3,

    /// <summary>An array of elements, or a blob of them.</summary>
    Items = 4,

    /// <summary>A map.</summary>
    Pairs = 5,

    /// <summary>A map of an object's field names to their values.</summary>
    NamedFields = 6,

    /// <summary>An array of two: a key, and an object of the type that is listed under it.</summary>
    Union = 7,

    /// <summary>A map of a structure's field names to their values.</summary>
    NamedStructure = 8,
}
