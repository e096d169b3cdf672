using System;
using System.Diagnostics;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>Arrays of one dimension that start at index 0.</summary>
internal sealed unsafe class ArrayModel<T>(Type type, FieldCodec codec, ModelCache models) : ItemsModel(type, codec, models)
{
    private readonly FieldKind _blobKind = Blob.KindOf(codec);

    public override bool IsLeaf => _blobKind != FieldKind.Other;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        var array = (T[])value;
        if (p > c.End)
            p = c.Grow(p, 0);
        if (_blobKind == FieldKind.Other)
            return Items.Write<T>(array, ItemCodec, Encode.ArrayHeader(p, array.Length, typeId), c);
        if (typeId != 0)
            p = Encode.ArrayHeader(p, 1, typeId);
        return Blob.Write<T>(array, _blobKind, p, c);
    }

    public override int[] CreationLengths(object value) => [((T[])value).Length];

    public override object CreateDeferred(ReadOnlySpan<int> lengths, ReadContext c)
    {
        if (lengths.Length != 1 || lengths[0] < 0 || !CanDefer)
            BadData.BadReference();
        return Make(lengths[0], c);
    }

    protected override object Create(int count, byte* p, ReadContext c)
    {
        if (!IsBlob(count, p))
            return Make(count, c);
        Blob.ReadHeader<T>(p, _blobKind, out count, c);
        return GC.AllocateUninitializedArray<T>(count);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        var array = (T[])value;
        if (IsBlob(count, p))
        {
            p = Blob.ReadHeader<T>(p, _blobKind, out int stored, c);
            Debug.Assert(array.Length == stored, "The array was made for this header: one of primitives is never deferred.");
            return Blob.ReadItems<T>(array, _blobKind, p);
        }
        if (count != array.Length)
            BadData.WrongCount(Type, count);
        return Items.Read<T>(array, ItemCodec, p, c);
    }

    private bool IsBlob(int count, byte* p)
    {
        bool isBlob = _blobKind != FieldKind.Other && count is NoArray or 1 && Blob.IsAt(p);
        if (count < 0 && !isBlob)
            BadData.Unexpected(*p, $"a {Type}");
        return isBlob;
    }

    private T[] Make(int count, ReadContext c)
    {
        c.Charge((long)count * ItemCodec.LeastBytes); // before the allocation: a damaged count must not claim memory
        return new T[count];
    }
}
