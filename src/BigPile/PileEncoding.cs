using System;
using System.Diagnostics.CodeAnalysis;
using BigPile.Catalog;

namespace BigPile;

/// <summary>How a pile encodes objects, and which it may store; see <see cref="Pile.Encoding"/>.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
public sealed class PileEncoding
{
    private readonly PileCodecs _codecs;

    internal PileEncoding(PileCodecs codecs) => _codecs = codecs;

    /// <summary>The codec of this pile's objects: its own, or that of <see cref="PileOptions.Codec"/>.</summary>
    /// <remarks>
    /// The pile's own codec writes the numbers of schemas that its catalog holds, so only this pile reads the bytes: see
    /// <see cref="CreatePortableCodec"/>. A new type's schema is stored at once.
    /// </remarks>
    public IPileCodec Codec => _codecs.Objects;

    /// <summary>Creates a codec for objects that leave the process: another one reads them, with or without a pile.</summary>
    /// <remarks>
    /// A payload carries the schemas of all types that its codec has written so far: use one codec for each root type. Types are as for
    /// this pile. With <see cref="PileOptions.Codec"/> it is that codec. The pile's own appends to a buffer that holds bytes already.
    /// </remarks>
    public IPileCodec CreatePortableCodec() => _codecs.CreatePortable();

    /// <summary>
    /// Allows types to be stored in this pile, and those of their members, beside <see cref="PileCodecOptions"/>; a table does so for its
    /// type arguments.
    /// </summary>
    public void Allow(params ReadOnlySpan<Type> types) => _codecs.Allow(types);

    /// <summary>Whether an object of exactly a type can be stored, as far as its type tells.</summary>
    /// <param name="type">The type.</param>
    /// <param name="reason">Why not, as a sentence.</param>
    public bool CanStore(Type type, [NotNullWhen(false)] out string? reason)
    {
        ArgumentNullException.ThrowIfNull(type);
        reason = _codecs.WhyNot(type);
        return reason == null;
    }
}
