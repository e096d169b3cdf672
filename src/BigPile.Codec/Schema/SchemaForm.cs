namespace BigPile.Codec.Schema;

/// <summary>
/// What content of a type looks like, so that it can be passed over when the type is gone. The numbers are part of the format.
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

    /// <summary>An array of elements, or elements in one piece.</summary>
    Items = 4,

    /// <summary>A map.</summary>
    Pairs = 5,

    /// <summary>A map of the names of fields to their values.</summary>
    NamedFields = 6,

    /// <summary>An array of a key and an object of the type that the key stands for.</summary>
    Union = 7,

    /// <summary>A map of the names of a structure's fields to their values.</summary>
    NamedStructure = 8,
}
