using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Linq;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Models;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>A read-only view that wraps one collection: an array with a reference to that.</summary>
internal abstract unsafe class WrapperModel(Type type, ModelCache models) : ContainerModel(type, models)
{
    /// <summary>The member's name in definitions.</summary>
    public const string InnerName = "inner";

    private readonly FieldCodec _any = models.Any;

    protected abstract object Inner(object wrapper);

    /// <summary>Constructs the wrapper in place.</summary>
    protected abstract void Construct(object wrapper, object? inner);

    public override byte* WriteContent(object value, int typeId, byte* p, WriteContext c)
    {
        if (p > c.End)
            p = c.Grow(p, 0);
        return Items.WriteOne(Inner(value), _any, Encode.ArrayHeader(p, 1, typeId), c);
    }

    public override void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Items, 1);
        definition.Text(InnerName);
        _any.Describe(definition);
    }

    protected override byte* Fill(object value, int count, byte* p, ReadContext c)
    {
        if (count != 1)
            BadData.WrongCount(Type, count);
        p = Items.ReadOne(out object? inner, _any, p, c);
        Construct(value, inner);
        return p;
    }
}

/// <summary>A read-only view of a list.</summary>
internal class ReadOnlyCollectionModel<T> : WrapperModel
{
    // The factory passes the elements' codecs to each collection's model; a view does not need them.
    public ReadOnlyCollectionModel(Type type, FieldCodec _, ModelCache models) : base(type, models)
    {
    }

    protected override object Inner(object wrapper) => WrapperAccess<T>.List((ReadOnlyCollection<T>)wrapper);

    protected override void Construct(object wrapper, object? inner) =>
        Constructors<T>.Construct((ReadOnlyCollection<T>)wrapper, (IList<T>)inner!);
}

/// <summary>
/// A list that the compiler made for a collection expression. Another build may lack its class, so it comes back as a read-only view of an
/// array.
/// </summary>
internal sealed class CollectionExpressionModel<T>(ModelCache models)
    : ReadOnlyCollectionModel<T>(typeof(ReadOnlyCollection<T>), models.Any, models)
{
    protected override object Inner(object wrapper) => ((IList<T>)wrapper).ToArray();
}

/// <summary>A read-only view of a dictionary.</summary>
internal sealed class ReadOnlyDictionaryModel<TKey, TValue> : WrapperModel
    where TKey : notnull
{
    public ReadOnlyDictionaryModel(Type type, FieldCodec _, FieldCodec _1, ModelCache models) : base(type, models)
    {
    }

    protected override object Inner(object wrapper) =>
        DictionaryWrapperAccess<TKey, TValue>.Dictionary((ReadOnlyDictionary<TKey, TValue>)wrapper);

    protected override void Construct(object wrapper, object? inner) =>
        Constructors<TKey, TValue>.Construct((ReadOnlyDictionary<TKey, TValue>)wrapper, (IDictionary<TKey, TValue>)inner!);
}

/// <summary>A read-only view of a set.</summary>
internal sealed class ReadOnlySetModel<T> : WrapperModel
{
    public ReadOnlySetModel(Type type, FieldCodec _, ModelCache models) : base(type, models)
    {
    }

    protected override object Inner(object wrapper) => WrapperAccess<T>.Set((ReadOnlySet<T>)wrapper);

    protected override void Construct(object wrapper, object? inner) =>
        Constructors<T>.Construct((ReadOnlySet<T>)wrapper, (ISet<T>)inner!);
}

/// <summary>Accesses the collection under a read-only view.</summary>
internal static class WrapperAccess<T>
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_Items")]
    public static extern IList<T> List(ReadOnlyCollection<T> wrapper);

    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_Set")]
    public static extern ISet<T> Set(ReadOnlySet<T> wrapper);
}

/// <summary>Accesses the dictionary under a read-only view.</summary>
internal static class DictionaryWrapperAccess<TKey, TValue>
    where TKey : notnull
{
    [UnsafeAccessor(UnsafeAccessorKind.Method, Name = "get_Dictionary")]
    public static extern IDictionary<TKey, TValue> Dictionary(ReadOnlyDictionary<TKey, TValue> wrapper);
}
