using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The codec of a member that is always nil: an index that a contract leaves out, or a type that can't be stored.</summary>
internal unsafe class NilCodec : FieldCodec
{
    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        *p = Code.Nil;
        return p + 1;
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        if (*p != Code.Nil)
            BadData.Unexpected(*p, "nil");
        return p + 1;
    }

    public override void Describe(DefinitionWriter definition) => definition.Text("none");
}
