using System.Diagnostics;
using BigPile.Codec.Graph;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>Writes and reads a collection's comparer, before its elements. The default comparer is not written.</summary>
internal sealed unsafe class ComparerCodec(FieldCodec any)
{
    /// <summary>How many elements <see cref="Write"/> writes.</summary>
    public static int ExtraCount(ComparerCode code) => code switch
    {
        ComparerCode.Default => 0,
        ComparerCode.Object => 2,
        _ => 1,
    };

    public byte* Write(ComparerCode code, object? comparer, byte* p, WriteContext c)
    {
        Debug.Assert(code != ComparerCode.Object || comparer is not null, "A comparer without a code of its own is an object.");
        if (code == ComparerCode.Default)
            return p;
        if (c.IsPlain)
            throw new RefusedException(typeof(ComparerCode), PlainForm.WhyNot("a collection with a comparer of its own"));
        p = Encode.ShortExtension(p, ExtensionCode.Comparer, (int)code);
        return code == ComparerCode.Object ? Items.WriteOne(comparer, any, p, c) : p;
    }

    /// <summary>Reads the comparer if there is one, and subtracts its elements from the count.</summary>
    public byte* Read<TComparer>(ref int count, byte* p, out TComparer? comparer, out bool isKnown, ReadContext c)
        where TComparer : class
    {
        comparer = null;
        isKnown = true;
        if (count <= 0 || !IsAt(p))
            return p;
        p = c.ShortExtension(p, ExtensionCode.Comparer, out uint code);
        isKnown = code != (uint)ComparerCode.Object;
        object? value;
        if (isKnown)
            value = Comparers.Of((ComparerCode)code);
        else
            p = Items.ReadOne(out value, any, p, c);
        count -= ExtraCount((ComparerCode)code);
        comparer = value as TComparer;
        if (count < 0 || (value is not null && comparer is null))
            BadData.Invalid("its comparer does not fit its elements");
        return p;
    }

    private static bool IsAt(byte* p) => *p == Code.FixExt1 && (sbyte)p[1] == ExtensionCode.Comparer;
}
