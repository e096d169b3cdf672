using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The codec of a nullable value type: nil, or the value's own format.</summary>
internal sealed unsafe class NullableCodec<T>(FieldCodec inner) : FieldCodec
    where T : struct
{
    public override bool IsLeaf => inner.IsLeaf;

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        T? value = Unsafe.As<byte, T?>(ref field);
        if (value is null)
        {
            *p = Code.Nil;
            return p + 1;
        }
        T content = value.GetValueOrDefault();
        return inner.Write(ref Unsafe.As<T, byte>(ref content), p, c);
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        ref T? target = ref Unsafe.As<byte, T?>(ref field);
        if (*p == Code.Nil)
        {
            target = null;
            return p + 1;
        }
        T content = default;
        p = inner.Read(ref Unsafe.As<T, byte>(ref content), p, c);
        target = content;
        return p;
    }

    public override void Describe(DefinitionWriter definition)
    {
        definition.Array(2);
        definition.Text("nullable");
        inner.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis) => inner.Analyze(analysis);
}
