using BigPile.MessagePackCSharp;
using BigPile.Perf.Payloads;
using MessagePack;
using MessagePack.Resolvers;

namespace BigPile.Perf;

/// <summary>What stores the objects of a load.</summary>
internal enum LoadCodec
{
    Bigpile, // the pile's own codec
    Messagepack, // messagePack-CSharp
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
