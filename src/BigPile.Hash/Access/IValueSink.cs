using System;

namespace BigPile.Hash.Access;

/// <summary>Receives the value of a record that is read.</summary>
internal interface IValueSink
{
    /// <summary>Whether the value itself is needed, not only whether the record exists.</summary>
    bool WantsValue { get; }

    /// <summary>
    /// Provides a buffer for the value; <see langword="false"/> if the destination is too short. A retried read asks again.
    /// </summary>
    bool TryGetBuffer(int length, out Span<byte> buffer);
}
