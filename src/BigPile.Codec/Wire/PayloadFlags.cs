using System;

namespace BigPile.Codec.Wire;

/// <summary>The upper 8 bits of a payload's prefix; the lower 24 are the root's type id.</summary>
[Flags]
internal enum PayloadFlags
{
    None = 0,

    /// <summary>The payload has back references: the reader must number the objects.</summary>
    HasBackReferences = 1,

    /// <summary>The payload is an array: the root, then the objects that forward references name.</summary>
    HasDeferred = 2,
}
