namespace BigPile.Catalog;

/// <summary>The kinds of definitions in the catalog.</summary>
internal enum CatalogKind : byte
{
    /// <summary>A type's name and members, as the codec wrote them.</summary>
    Schema = 1,

    /// <summary>A table's name and key type.</summary>
    Table = 2,

    /// <summary>The name of the codec that wrote the objects, unless it is the pile's own.</summary>
    Codec = 3,

    /// <summary>
    /// The table that has an id from now on, or none; and the version up to which entries of the id belong to the previous table.
    /// </summary>
    TableChange = 4,
}
