namespace BigPile.Hash.Space;

/// <summary>A contiguous part of the file.</summary>
internal readonly record struct Extent(long Offset, long Bytes);
