using System;
using System.Threading;
using BigPile.Codec.Payloads;
using BigPile.Codec.Schema;

namespace BigPile.Catalog;

/// <summary>The codecs of one pile: of objects, and of the keys of tables.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class PileCodecs
{
    private readonly Lock _naming = new();
    private readonly IPileCodec? _user;
    private readonly PileCodecOptions _options;
    private readonly Lazy<MessagePackPileCodec> _keys;

    /// <param name="user">The application's codec, if it has one.</param>
    /// <param name="catalog">Where schemas are.</param>
    /// <param name="options">What the pile's own codec may read and write; what is named later counts for this pile alone.</param>
    internal PileCodecs(IPileCodec? user, PileCatalog catalog, PileCodecOptions options)
    {
        _user = user;
        _options = options.Copy();
        _keys = new Lazy<MessagePackPileCodec>(() => new MessagePackPileCodec(catalog, _options, isNormal: true));
        Objects = user == null ? new MessagePackPileCodec(catalog, _options) : new UserCodec(user);
    }

    /// <summary>Makes payloads of objects.</summary>
    internal IPileCodec Objects { get; }

    /// <summary>Makes bytes of keys, which are the same where keys are equal; see <see cref="MakesKeysOf"/>.</summary>
    internal IPileCodec Keys => _keys.Value;

    /// <summary>What made bytes of keys before <see cref="Keys"/> did, and makes those that only the application's codec knows.</summary>
    internal IPileCodec OtherKeys => _user ?? Objects;

    /// <summary>Whether <see cref="Keys"/> makes the bytes of keys of a type, where the choice is free.</summary>
    internal bool MakesKeysOf(Type type) => _user == null || UserCodec.IsPrimitive(type);

    /// <summary>Allows what the application names: types, and the assemblies of what their objects are declared to hold.</summary>
    internal void Allow(ReadOnlySpan<Type> types)
    {
        foreach (Type type in types)
        {
            if (_user != null || NamedTypes.Contain(type, _options))
                continue;
            lock (_naming) // whoever comes second goes on when the first is through
            {
                if (NamedTypes.Add(type, _options))
                    Clear(); // what was refused may be allowed now
                NamedTypes.Remember(type, _options);
            }
        }
    }

    /// <summary>Why no value of a type can be stored, as a sentence; null when nothing is known that speaks against it.</summary>
    internal string? WhyNot(Type type) => (Objects as MessagePackPileCodec)?.WhyNot(type);

    /// <summary>Lets go of what they know of types: nobody uses them any more, or more types are allowed.</summary>
    internal void Clear()
    {
        (Objects as MessagePackPileCodec)?.Clear();
        if (_keys.IsValueCreated)
            _keys.Value.Clear();
    }
}
