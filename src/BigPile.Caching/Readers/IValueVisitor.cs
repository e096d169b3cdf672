using System;

namespace BigPile.Caching.Readers;

/// <summary>Sees a value where it lies, before the read is known to be good.</summary>
/// <remarks>
/// The bytes may be changing: a visitor copies what it wants and trusts nothing of it until the read has said that the entry was found.
/// It may be called more than once for one read, and only the last call counts.
/// </remarks>
internal interface IValueVisitor
{
    /// <summary>Copies what is wanted of a value.</summary>
    void Visit(ReadOnlySpan<byte> value);
}
