using BigPile.Codec.Graph;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Fields;

/// <summary>The codec of a structure: an array of its fields' values.</summary>
internal sealed unsafe class StructCodec(FieldList fields) : FieldCodec
{
    public FieldList Fields => fields;

    public override bool IsLeaf => fields.IsLeaf;

    public override int LeastBytes => 1 + fields.LeastBytes;

    public override byte* Write(ref byte field, byte* p, WriteContext c) => fields.Write(ref field, 0, p, c);

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        p = c.ArrayHeader(p, out int count);
        return fields.Read(ref field, count, p, c);
    }

    public override void Describe(DefinitionWriter definition) => definition.Entry(fields);

    public override void Analyze(SharingAnalysis analysis) => fields.Analyze(analysis);
}
