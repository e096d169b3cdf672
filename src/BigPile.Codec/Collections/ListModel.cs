using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary><see cref="List{T}"/>: its elements.</summary>
internal sealed unsafe class ListModel<T>(Type type, FieldCodec codec, ModelCache models) : ItemsModel(type, codec, models)
{
    private readonly FieldKind _blobKind = Blob.KindOf(codec);

    public override bool IsLeaf => _blobKind != FieldKind.Other;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        ReadOnlySpan<T> items = CollectionsMarshal.AsSpan((List<T>)value);
        if (p > c.End)
            p = c.Grow(p, 0);
        if (_blobKind == FieldKind.Other)
            return Items.Write(items, ItemCodec, Encode.ArrayHeader(p, items.Length, typeId), c);
        if (typeId != 0)
            p = Encode.ArrayHeader(p, 1, typeId);
        return Blob.Write(items, _blobKind, p, c);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        var list = (List<T>)value;
        bool isBlob = _blobKind != FieldKind.Other && count is NoArray or 1 && Blob.IsAt(p);
        if (isBlob)
            p = Blob.ReadHeader<T>(p, _blobKind, out count, c);
        else
            Charge(count, p, c);
        Constructors<T>.Construct(list, count);
        CollectionsMarshal.SetCount(list, count);
        Span<T> items = CollectionsMarshal.AsSpan(list);
        return isBlob ? Blob.ReadItems(items, _blobKind, p) : Items.Read(items, ItemCodec, p, c);
    }
}
