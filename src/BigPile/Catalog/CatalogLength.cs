using System;
using BigPile.Memory;

namespace BigPile.Catalog;

/// <summary>What a superblock says of the catalog's length.</summary>
/// <param name="WholeBytes">The exact length, if the last owner closed the pile; otherwise null.</param>
/// <param name="LeastBytes">
/// The length that was durable when the superblock was written: so much is there, and intact. 0 if the format does not say.
/// </param>
/// <param name="OnDevice">
/// Tells by the file's status whether the device is known to have the catalog and its name; null for a closed pile.
/// </param>
internal readonly record struct CatalogLength(long? WholeBytes, long LeastBytes, Func<FileStatus?, bool>? OnDevice = null)
{
    /// <summary>The length in words, for messages.</summary>
    internal string Text => WholeBytes is { } wholeBytes ? $"{wholeBytes:N0} bytes" : $"{LeastBytes:N0} bytes at least";
}
