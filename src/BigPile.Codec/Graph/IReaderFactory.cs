using System;

namespace BigPile.Codec.Graph;

/// <summary>Makes what reads the payloads of a stored schema.</summary>
internal interface IReaderFactory
{
    /// <summary>The current model if the application's type still has the stored schema, else one that maps members by name.</summary>
    TypeModel Make(ReadOnlyMemory<byte> definition);

    /// <summary>What passes over the payloads of a stored schema whose type is gone.</summary>
    TypeModel MakeSkipper(ReadOnlyMemory<byte> definition);
}
