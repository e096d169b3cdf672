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
    /// <param name="catalog">Where schemas are stored.</param>
    /// <param name="options">
    /// What the pile's own codec may read and write. Types that are allowed later are allowed in this pile only.
    /// </param>
    internal PileCodecs(IPileCodec? user, PileCatalog catalog, PileCodecOptions options)
    {
        _user = user;
        _options = options.Copy();
        _keys = new Lazy<MessagePackPileCodec>(() => new MessagePackPileCodec(catalog, _options, isNormal: true));
        Objects = user == null ? new MessagePackPileCodec(catalog, _options) : new UserCodec(user);
    }

    internal IPileCodec Objects { get; }

    /// <summary>Encodes keys: equal keys have equal bytes; see <see cref="MakesKeysOf"/>.</summary>
    internal IPileCodec Keys => _keys.Value;

    /// <summary>Encodes keys as versions before <see cref="Keys"/> did, and those that only the application's codec knows.</summary>
    internal IPileCodec OtherKeys => _user ?? Objects;

    /// <summary>Whether new tables use <see cref="Keys"/> for keys of a type.</summary>
    internal bool MakesKeysOf(Type type) => _user == null || UserCodec.IsPrimitive(type);

    /// <summary>Allows types that the application names, and the assemblies of their members' declared types.</summary>
    internal void Allow(ReadOnlySpan<Type> types)
    {
        foreach (Type type in types)
        {
            if (_user != null || NamedTypes.Contain(type, _options))
                continue;
            lock (_naming) // a second caller waits until the first has added the type
            {
                if (NamedTypes.Add(type, _options))
                    Clear(); // a type that was refused may be allowed now
                NamedTypes.Remember(type, _options);
            }
        }
    }

    /// <summary>Why no value of a type can be stored, as a sentence; null if no reason is known.</summary>
    internal string? WhyNot(Type type) => (Objects as MessagePackPileCodec)?.WhyNot(type);

    /// <summary>A codec whose payloads need no catalog: a new one, or the application's own.</summary>
    internal IPileCodec CreatePortable() => Objects is MessagePackPileCodec own ? new PortableCodec(own.Options) : Objects;

    /// <summary>Clears what they have cached of types: they are no longer used, or more types are allowed.</summary>
    internal void Clear()
    {
        (Objects as MessagePackPileCodec)?.Clear();
        if (_keys.IsValueCreated)
            _keys.Value.Clear();
    }
}
