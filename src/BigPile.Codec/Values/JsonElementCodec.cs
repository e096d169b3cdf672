using System.Runtime.CompilerServices;
using System.Text.Json;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The codec of a <c>JsonElement</c>: its raw text; nil for an undefined one.</summary>
/// <remarks>An element read back has a document of its own, which need not be disposed.</remarks>
internal sealed unsafe class JsonElementCodec : FieldCodec
{
    public override string LeafName => "jsonElement";

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        JsonElement element = Unsafe.As<byte, JsonElement>(ref field);
        return TextEncode.String(p, element.ValueKind == JsonValueKind.Undefined ? null : element.GetRawText(), c);
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        string? text = null;
        p = TextDecode.String(p, ref text, c);
        if (text is null)
        {
            Unsafe.As<byte, JsonElement>(ref field) = default;
            return p;
        }
        using JsonDocument document = DocumentForms.ParseDocument(text);
        Unsafe.As<byte, JsonElement>(ref field) = document.RootElement.Clone();
        return p;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text(LeafName);
}
