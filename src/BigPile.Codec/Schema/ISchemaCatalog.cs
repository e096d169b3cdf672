using System;

namespace BigPile.Codec.Schema;

/// <summary>The pile's list of schemas: what each type id in a payload's prefix means.</summary>
/// <remarks>
/// A definition never changes and is never removed. On a mapped pile it is in the file before <see cref="GetOrAdd"/> returns, so no
/// block can refer to an id that a killed process took along. Thread safety: all members may be called concurrently.
/// </remarks>
internal interface ISchemaCatalog
{
    /// <summary>Payloads may be read by a process that has nothing of this one but the catalog.</summary>
    bool OutlivesProcess { get; }

    /// <summary>The id of a definition, which is added if it is new. Ids start at 1 and stay below 2^24.</summary>
    int GetOrAdd(ReadOnlySpan<byte> definition);

    /// <summary>The definition with an id.</summary>
    bool TryGet(int id, out ReadOnlyMemory<byte> definition);
}
