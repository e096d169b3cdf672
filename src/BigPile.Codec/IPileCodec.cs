namespace BigPile;

/// <summary>Turns object graphs into payload bytes and back.</summary>
/// <remarks>
/// Thread safety: a codec is called by many threads at once. Strings, byte arrays and primitive values (numbers, characters, booleans,
/// Guids, dates and times) never reach a codec of the application's: the pile stores them in a form of its own.
/// </remarks>
public interface IPileCodec
{
    /// <summary>What a mapped pile remembers of the codec that wrote its objects: no codec of another name opens it.</summary>
    string Name => GetType().FullName ?? GetType().Name;

    /// <summary>Appends the payload of <paramref name="value"/> and everything that it reaches.</summary>
    /// <param name="value">
    /// The root of the graph; never <see langword="null"/>, a <see cref="string"/>, a byte array or a primitive value.
    /// </param>
    /// <param name="destination">The buffer to append to; empty at the call.</param>
    /// <exception cref="PileSerializationException">The graph holds something that has no place in a pile.</exception>
    void Serialize(object value, PileBuffer destination);

    /// <summary>Reads back what <see cref="Serialize"/> wrote.</summary>
    /// <param name="source">The payload: all bytes written to the buffer, a copy that nobody else changes.</param>
    /// <returns>The root of an equal graph.</returns>
    /// <exception cref="PileSerializationException">The bytes are no payload of this codec.</exception>
    object Deserialize(PileBuffer source);
}
