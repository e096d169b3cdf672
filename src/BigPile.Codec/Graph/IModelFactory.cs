using System;

namespace BigPile.Codec.Graph;

/// <summary>Chooses how each type is written and read; asked once for each.</summary>
internal interface IModelFactory
{
    TypeModel MakeModel(Type type);

    FieldCodec MakeCodec(Type declared);

    /// <summary>Whether an object can be exactly of a declared type, and can be stored.</summary>
    bool CanBeExact(Type declared);
}
