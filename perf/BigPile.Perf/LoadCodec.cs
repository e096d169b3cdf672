using BigPile.MessagePackCSharp;
using BigPile.Perf.Payloads;
using MessagePack;
using MessagePack.Resolvers;

namespace BigPile.Perf;

/// <summary>What stores the objects of a load.</summary>
internal enum LoadCodec
{
    /// <summary>The pile's own codec.</summary>
    Bigpile,

    /// <summary>MessagePack-CSharp.</summary>
    Messagepack,
}

/// <summary>Makes them.</summary>
internal static class LoadCodecs
{
    /// <summary>The codec for a pile's options; <see langword="null"/> for its own.</summary>
    internal static IPileCodec? Make(this LoadCodec codec) => codec == LoadCodec.Bigpile
        ? null
        : new MessagePackCSharpCodec(
            MessagePackSerializerOptions.Standard.WithSecurity(MessagePackSecurity.UntrustedData)
                .WithResolver(CompositeResolver.Create([new PersonFormatter()], [StandardResolver.Instance])),
            typeof(Person));
}
