using System.Buffers;
using System.Text.Json;

namespace BigPile.AspNetCore.Tests.Support;

/// <summary>A codec of an application's own, which knows one type.</summary>
internal sealed class PocoCodec : IPileCodec
{
    public void Serialize(object value, PileBuffer destination)
    {
        if (value is not Poco)
            throw new PileSerializationException($"{value.GetType()} is not known.");
        destination.Write(JsonSerializer.SerializeToUtf8Bytes(value));
    }

    public object Deserialize(PileBuffer source) => JsonSerializer.Deserialize<Poco>(source.WrittenSpan)!;
}
