using System;
using BigPile.Memory;

namespace BigPile.Catalog;

/// <summary>What a superblock states of the catalog's length.</summary>
/// <param name="WholeBytes">The length itself, when the last owner has closed the pile; null when it has not.</param>
/// <param name="LeastBytes">
/// What was written through when the superblock was: it is there, and whole. 0 where the format does not say.
/// </param>
/// <param name="OnDevice">
/// Whether the device is known to have what was written through, with the name, of a file as it is; not of a closed pile.
/// </param>
internal readonly record struct CatalogLength(long? WholeBytes, long LeastBytes, Func<FileStatus?, bool>? OnDevice = null)
{
    /// <summary>In words, for messages.</summary>
    internal string Text => WholeBytes is { } wholeBytes ? $"{wholeBytes:N0} bytes" : $"{LeastBytes:N0} bytes at least";
}
