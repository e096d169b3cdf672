using BigPile.Catalog;

namespace BigPile.Codec;

internal sealed class MessagePackPileCodec : IPileCodec
{
    internal MessagePackPileCodec(ISchemaCatalog catalog, PileCodecOptions options)
    {
    }

    public void Serialize(object value, PileBuffer destination) => throw new PileSerializationException("none");

    public object Deserialize(PileBuffer source) => throw new PileSerializationException("none");
}
