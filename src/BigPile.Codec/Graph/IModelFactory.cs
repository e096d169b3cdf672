using System;

namespace BigPile.Codec.Graph;

/// <summary>Chooses the model and the codec of each type. The cache asks once for each type.</summary>
internal interface IModelFactory
{
    TypeModel MakeModel(Type type);

    FieldCodec MakeCodec(Type declared);

    /// <summary>Whether objects of exactly the declared type can exist and can be stored.</summary>
    bool CanBeExact(Type declared);
}
