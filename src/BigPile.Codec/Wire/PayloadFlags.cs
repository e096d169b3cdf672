using System;

namespace BigPile.Codec.Wire;

/// <summary>The upper 8 bits of a payload's prefix; the lower 24 are the root's type id.</summary>
[Flags]
internal enum PayloadFlags
{
    None = 0,

    /// <summary>Back references occur: the reader must number the objects.</summary>
    HasBackReferences = 1,

    /// <summary>The payload is an array of the root and the objects that forward references stand for.</summary>
    HasDeferred = 2,
}
