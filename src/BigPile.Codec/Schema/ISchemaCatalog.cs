using System;

namespace BigPile.Codec.Schema;

/// <summary>The pile's list of schemas: what each type id in a payload's prefix means.</summary>
/// <remarks>
/// A definition never changes and is never removed. In a mapped pile it is in the file before <see cref="GetOrAdd"/> returns, so no block
/// can refer to an id that was lost with a killed process. Thread safety: all members may be called concurrently.
/// </remarks>
internal interface ISchemaCatalog
{
    /// <summary>The largest id: a payload's prefix has 24 bits for it.</summary>
    const int IdMost = (1 << 24) - 1;

    /// <summary>Whether later processes may read the payloads, with nothing but the catalog.</summary>
    bool OutlivesProcess { get; }

    /// <summary>The id of a definition, which is added if it is new. Ids start at 1 and end at <see cref="IdMost"/>.</summary>
    int GetOrAdd(ReadOnlySpan<byte> definition);

    bool TryGet(int id, out ReadOnlyMemory<byte> definition);
}
