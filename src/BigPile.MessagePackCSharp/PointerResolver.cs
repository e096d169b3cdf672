using MessagePack;
using MessagePack.Formatters;

namespace BigPile.MessagePackCSharp;

/// <summary>Adds pointers to the types that another resolver knows: objects refer to each other by them.</summary>
/// <remarks>A pointer is its 64 bits. Thread safety: all members may be called concurrently.</remarks>
internal sealed class PointerResolver(IFormatterResolver others) : IFormatterResolver
{
    private static readonly PointerFormatter Pointers = new();

    public IMessagePackFormatter<T>? GetFormatter<T>() =>
        typeof(T) == typeof(PilePointer) ? (IMessagePackFormatter<T>)(object)Pointers : others.GetFormatter<T>();

    private sealed class PointerFormatter : IMessagePackFormatter<PilePointer>
    {
        public void Serialize(ref MessagePackWriter writer, PilePointer value, MessagePackSerializerOptions options) =>
            writer.Write(value.ToUInt64());

        public PilePointer Deserialize(ref MessagePackReader reader, MessagePackSerializerOptions options) =>
            PilePointer.FromUInt64(reader.ReadUInt64());
    }
}
