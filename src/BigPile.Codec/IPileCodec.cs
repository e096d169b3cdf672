namespace BigPile;

/// <summary>Turns object graphs into payload bytes and back.</summary>
/// <remarks>
/// Thread safety: many threads call a codec at once. Strings, byte arrays and primitive values (numbers, characters, booleans, Guids,
/// dates and times) never reach an application's codec: the pile stores them in its own format.
/// </remarks>
public interface IPileCodec
{
    /// <summary>The name that a mapped pile stores. Only a codec of the same name can open the pile again.</summary>
    string Name => GetType().FullName ?? GetType().Name;

    /// <summary>Appends the payload of <paramref name="value"/> and of every object that it reaches.</summary>
    /// <param name="value">
    /// The root of the graph; never <see langword="null"/>, a <see cref="string"/>, a byte array or a primitive value.
    /// </param>
    /// <param name="destination">The buffer to append to; empty at the call.</param>
    /// <exception cref="PileSerializationException">The graph holds an object that can't be stored.</exception>
    void Serialize(object value, PileBuffer destination);

    /// <summary>Reads back what <see cref="Serialize"/> wrote.</summary>
    /// <param name="source">The payload: all bytes written to the buffer. It is a copy that no other thread changes.</param>
    /// <returns>The root of an equal graph.</returns>
    /// <exception cref="PileSerializationException">The bytes are no payload of this codec.</exception>
    object Deserialize(PileBuffer source);
}
