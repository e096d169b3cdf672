using System;

namespace BigPile.Codec.Graph;

/// <summary>Makes the readers for the payloads of stored schemas.</summary>
internal interface IReaderFactory
{
    /// <summary>Makes a reader: the current model if the type still has the stored schema, else one that maps members by name.</summary>
    TypeModel Make(ReadOnlyMemory<byte> definition);

    /// <summary>Makes a reader that skips the payloads of a stored schema whose type no longer exists.</summary>
    TypeModel MakeSkipper(ReadOnlyMemory<byte> definition);
}
