namespace BigPile;

/// <summary>Turns object graphs into payload bytes and back.</summary>
/// <remarks>
/// Thread safety: a codec is called by many threads at once. Strings and byte arrays never reach a codec: the pile stores them as they are.
/// </remarks>
public interface IPileCodec
{
    /// <summary>What a mapped pile remembers of the codec that wrote its objects: no codec of another name opens it.</summary>
    string Name => GetType().FullName ?? GetType().Name;

    /// <summary>Appends the payload of <paramref name="value"/> and everything that it reaches.</summary>
    /// <param name="value">The root of the graph; never <see langword="null"/>, a <see cref="string"/> or a byte array.</param>
    /// <param name="destination">The buffer to append to; empty at the call.</param>
    /// <exception cref="PileSerializationException">The graph holds something that has no place in a pile.</exception>
    void Serialize(object value, PileBuffer destination);

    /// <summary>Reads back what <see cref="Serialize"/> wrote.</summary>
    /// <param name="source">The payload: all bytes written to the buffer, a copy that nobody else changes.</param>
    /// <returns>The root of an equal graph.</returns>
    /// <exception cref="PileSerializationException">The bytes are no payload of this codec.</exception>
    object Deserialize(PileBuffer source);
}
