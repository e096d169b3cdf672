using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary><see cref="List{T}"/>: its elements.</summary>
internal sealed unsafe class ListModel<T>(Type type, FieldCodec codec, ModelCache models) : ContainerModel(type, models)
{
    private readonly FieldKind _blobKind = Blob.KindOf(codec);

    public override bool IsLeaf => _blobKind != FieldKind.Other;

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        ReadOnlySpan<T> items = CollectionsMarshal.AsSpan((List<T>)value);
        if (p > c.End)
            p = c.Grow(p, 0);
        if (_blobKind == FieldKind.Other)
            return Items.Write(items, codec, Encode.ArrayHeader(p, items.Length, typeId), c);
        if (typeId != 0)
            p = Encode.ArrayHeader(p, 1, typeId);
        return Blob.Write(items, _blobKind, p, c);
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Items, 1);
        definition.Text("item");
        codec.Describe(definition);
    }

    public override void Analyze(SharingAnalysis analysis) => analysis.ReachEach(codec);

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        var list = (List<T>)value;
        bool isBlob = _blobKind != FieldKind.Other && count is NoArray or 1 && Blob.IsAt(p);
        if (isBlob)
            p = Blob.ReadHeader<T>(p, _blobKind, out count, c);
        else if (count < 0)
            BadData.Unexpected(*p, $"a {Type}");
        else
            c.Charge((long)count * codec.LeastBytes);
        ListAccess<T>.Construct(list, count);
        CollectionsMarshal.SetCount(list, count);
        Span<T> items = CollectionsMarshal.AsSpan(list);
        return isBlob ? Blob.ReadItems(items, _blobKind, p) : Items.Read(items, codec, p, c);
    }
}

/// <summary>Constructs lists in place.</summary>
internal static class ListAccess<T>
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = ".ctor")]
    public static extern void Construct(List<T> list, int capacity);
}
