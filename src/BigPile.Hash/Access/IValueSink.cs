using System;

namespace BigPile.Hash.Access;

/// <summary>Takes a value that is read.</summary>
internal interface IValueSink
{
    /// <summary>Whether the value itself is wanted, and not only whether it is there.</summary>
    bool WantsValue { get; }

    /// <summary>Gives room for a value; <see langword="false"/> when there is not so much. It may be asked once more.</summary>
    bool TryGetBuffer(int length, out Span<byte> buffer);
}
