using System;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile.Caching.Capacity;

/// <summary>Objects that only take space, to which tables need not give way. For tests of applications.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal static class FillerObjects
{
    /// <summary>Puts an object if it fits. The caller is outside of critical regions.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="payload">What the object holds.</param>
    /// <param name="evicts">Whether tables give way to it.</param>
    /// <param name="pointer">The object.</param>
    /// <returns><see langword="false"/> when the pile is full.</returns>
    internal static bool TryPut(Pile pile, ReadOnlySpan<byte> payload, bool evicts, out PilePointer pointer) =>
        new BlockWriter(pile.Blocks).TryPut(payload, BlockKind.Bytes, evicts, out pointer);
}
