using System;

namespace BigPile.Perf.Tables;

/// <summary>One of the stores that are compared.</summary>
internal interface ICompareSide : IDisposable
{
    /// <summary>Its name.</summary>
    string Name { get; }

    /// <summary>Puts a value of its own under a key.</summary>
    void Put(long key, ReadOnlySpan<byte> value);

    /// <summary>Reads the number at the start of a key's value.</summary>
    bool TryGet(long key, Span<byte> room, out long number);
}
