using System;
using BigPile.Codec.Payloads;
using BigPile.Codec.Slots;

namespace BigPile.Catalog;

/// <summary>The codecs of one pile: of objects, and of the keys of tables.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
/// <param name="user">The application's codec, if it has one.</param>
/// <param name="catalog">Where schemas are.</param>
/// <param name="options">What the pile's own codec may read and write.</param>
internal sealed class PileCodecs(IPileCodec? user, PileCatalog catalog, PileCodecOptions options)
{
    private readonly MessagePackPileCodec _own = new(catalog, options);
    private readonly Lazy<MessagePackPileCodec> _keys = new(() => new MessagePackPileCodec(catalog, options, isNormal: true));
    private IPileCodec? _objects;

    /// <summary>Makes payloads of objects.</summary>
    internal IPileCodec Objects => _objects ??= user == null ? _own : new UserCodec(user, _own);

    /// <summary>Makes bytes of keys, which are the same where keys are equal; see <see cref="MakesKeysOf"/>.</summary>
    internal IPileCodec Keys => _keys.Value;

    /// <summary>What made bytes of keys before <see cref="Keys"/> did, and makes those of keys that only the application's codec knows.</summary>
    internal IPileCodec OtherKeys => user ?? _own;

    /// <summary>Whether <see cref="Keys"/> makes the bytes of keys of a type, where the choice is free.</summary>
    internal bool MakesKeysOf(Type type) => user == null || LeafSlots.IsPrimitive(type);

    /// <summary>Lets go of what they know of types, once nobody uses them any more.</summary>
    internal void Clear()
    {
        _own.Clear();
        if (_keys.IsValueCreated)
            _keys.Value.Clear();
    }
}
