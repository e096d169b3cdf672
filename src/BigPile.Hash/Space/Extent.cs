namespace BigPile.Hash.Space;

/// <summary>A piece of the file.</summary>
internal readonly record struct Extent(long Offset, long Bytes);
