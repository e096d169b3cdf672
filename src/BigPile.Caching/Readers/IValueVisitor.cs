using System;

namespace BigPile.Caching.Readers;

/// <summary>Sees a value in place, before the read is validated.</summary>
/// <remarks>
/// The bytes may be changing. Copy what is wanted, and trust none of it until the read reports that the entry was found. A read may call
/// more than once; only the last call is valid.
/// </remarks>
internal interface IValueVisitor
{
    /// <summary>Copies what is wanted of the value.</summary>
    void Visit(ReadOnlySpan<byte> value);
}
