namespace BigPile.Codec.Graph;

/// <summary>Assigns ids to schemas.</summary>
internal interface ITypeIds
{
    /// <summary>Adds the schema of a model to the catalog.</summary>
    /// <returns>The schema's id.</returns>
    int Assign(TypeModel model);
}
