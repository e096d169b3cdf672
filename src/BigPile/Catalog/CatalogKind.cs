namespace BigPile.Catalog;

/// <summary>What a definition in the catalog defines.</summary>
internal enum CatalogKind : byte
{
    /// <summary>A type's name and members, as the codec wrote them.</summary>
    Schema = 1,

    /// <summary>A table's name and key type.</summary>
    Table = 2,

    /// <summary>The name of the codec that wrote the objects, when it is not the pile's own.</summary>
    Codec = 3,

    /// <summary>
    /// Which table has an id from here on, or that none has it; with the version up to which its entries are of the table before.
    /// </summary>
    TableChange = 4,
}
