using System;
using System.Diagnostics;
using BigPile.Codec.Collections;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Evolution;

/// <summary>Skips content whose type no longer exists. Its objects are numbered, but nothing that is kept may refer to them.</summary>
internal sealed unsafe class SkipModel(SchemaForm form, FieldCodec[] codecs, ModelCache models)
    : TypeModel(typeof(object), models, isSkipper: true)
{
    private readonly ComparerCodec _comparers = new(models.Any);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c) => throw new NotSupportedException();

    public override void Define(DefinitionWriter definition) => throw new NotSupportedException();

    public override byte* ReadContent(ref object? target, int count, byte* p, ReadContext c)
    {
        if (form != SchemaForm.Value)
            c.Register(SkippedObject.Instance);
        return SkipContent(count, p, c);
    }

    public override object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c) => SkippedObject.Instance;

    public override byte* FillDeferred(object value, byte* p, ReadContext c) => Skip(p, c);

    /// <summary>Skips content without a type id, header included.</summary>
    public byte* Skip(byte* p, ReadContext c)
    {
        int count = NoArray;
        if (Code.IsArray(*p) && form is not (SchemaForm.Value or SchemaForm.ObjectValue))
            p = c.ArrayHeader(p, out count);
        return SkipContent(count, p, c);
    }

    private byte* SkipContent(int count, byte* p, ReadContext c)
    {
        Debug.Assert(Array.TrueForAll(codecs, codec => codec is DiscardCodec or SkipCodec), "Nothing is written where a codec reads.");
        if (++c.Depth > WriteContext.DepthLimit)
            c.EnterDeep();
        p = form switch
        {
            SchemaForm.Fields or SchemaForm.Structure => SkipFields(count, p, c),
            SchemaForm.Items => SkipItems(count, p, c),
            SchemaForm.Pairs => SkipPairs(count, p, c),
            SchemaForm.NamedFields or SchemaForm.NamedStructure => SkipNamed(p, c),
            _ => codecs[0].Read(ref *p, p, c),
        };
        Debug.Assert(c.Depth > 0, "An object inside leaves as often as it enters.");
        c.Depth--;
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    private byte* SkipFields(int count, byte* p, ReadContext c)
    {
        if (count != codecs.Length)
            BadData.Invalid("an object has another number of members than its schema");
        foreach (FieldCodec codec in codecs)
        {
            p = codec.Read(ref *p, p, c);
            if (p > c.End)
                BadData.Truncated();
        }
        return p;
    }

    private byte* SkipItems(int count, byte* p, ReadContext c)
    {
        // Only leaves are stored as a blob. A single element that is an object may start like one: a back reference, a forward reference
        // or a byte array.
        if (count is NoArray or 1 && codecs[0].IsLeaf && Blob.IsAt(p))
            return SkipBlob(p, c);
        p = _comparers.Read(ref count, p, out object? _, out _, c);
        if (count > 0 && Code.IsExtension(*p) && IsDimensions(p, c))
        {
            p = SkipBlob(p, c);
            count--;
        }
        for (int i = 0; i < count; i++)
            p = SkipOne(codecs[0], p, c);
        return p;
    }

    private byte* SkipPairs(int count, byte* p, ReadContext c)
    {
        p = _comparers.Read(ref count, p, out object? _, out _, c);
        p = c.MapHeader(p, out int pairs);
        for (int i = 0; i < pairs; i++)
            p = SkipOne(codecs[1], SkipOne(codecs[0], p, c), c);
        return p;
    }

    private byte* SkipNamed(byte* p, ReadContext c)
    {
        p = c.MapHeader(p, out int count);
        if (count != codecs.Length)
            BadData.Invalid("an object has another number of members than its schema");
        foreach (FieldCodec codec in codecs)
            p = SkipOne(codec, ContractText.Read(p, out _, c), c);
        return p;
    }

    private static byte* SkipOne(FieldCodec codec, byte* p, ReadContext c)
    {
        p = codec.Read(ref *p, p, c);
        if (p > c.End)
            BadData.Truncated();
        return p;
    }

    private static byte* SkipBlob(byte* p, ReadContext c)
    {
        p = Code.IsExtension(*p) ? c.ExtensionHeader(p, out _, out int length) : c.BinHeader(p, out length);
        return p + length;
    }

    private static bool IsDimensions(byte* p, ReadContext c)
    {
        c.ExtensionHeader(p, out sbyte extension, out _);
        return extension == ExtensionCode.Dimensions;
    }
}
