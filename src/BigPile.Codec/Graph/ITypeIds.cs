namespace BigPile.Codec.Graph;

/// <summary>Gives schemas their numbers.</summary>
internal interface ITypeIds
{
    /// <summary>Enters the schema of a model into the catalog, and gives its id.</summary>
    int Assign(TypeModel model);
}
