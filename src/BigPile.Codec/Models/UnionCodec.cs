using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using BigPile.Codec.Graph;
using BigPile.Codec.Schema;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Models;

/// <summary>The codec of a union: an interface or abstract class that lists its types under keys. An array of key and object.</summary>
/// <remarks>
/// An object whose type is not listed is written with its type id, as everywhere else. So the list may grow without a new schema.
/// </remarks>
internal sealed unsafe class UnionCodec : FieldCodec, IDefined
{
    private const string UnionAttribute = "MessagePack.UnionAttribute";

    private readonly ReferenceCodec _any;
    private readonly Dictionary<int, (FieldCodec Codec, Type Type)> _byKey = [];
    private readonly Dictionary<Type, int> _keys = [];

    public UnionCodec(Type declared, IEnumerable<(int Key, Type Type, FieldCodec Codec)> types, ModelCache models)
    {
        Type = declared;
        _any = new ReferenceCodec(declared, models, null);
        foreach ((int key, Type type, FieldCodec codec) in types)
        {
            _byKey[key] = (codec, type);
            _keys[type] = key;
        }
    }

    public Type Type { get; }

    public override bool IsLeaf => false;

    /// <summary>
    /// The keys and classes that a declared type lists. Listed structures are left out: they are written with their type ids.
    /// </summary>
    public static IEnumerable<(int Key, Type Type)> ListOf(Type declared)
    {
        if (!declared.IsAbstract)
            yield break;
        foreach (CustomAttributeData attribute in declared.CustomAttributes)
        {
            if (attribute.AttributeType.FullName == UnionAttribute
                && attribute.ConstructorArguments is [{ Value: int key }, { Value: Type type }]
                && !type.IsValueType && declared.IsAssignableFrom(type))
                yield return (key, type);
        }
    }

    public override byte* Write(ref byte field, byte* p, WriteContext c)
    {
        object? value = System.Runtime.CompilerServices.Unsafe.As<byte, object?>(ref field);
        if (value is null || !_keys.TryGetValue(value.GetType(), out int key))
            return _any.Write(ref field, p, c);
        if (!c.IsTracking)
            throw new TrackingNeededException();
        p = Encode.Int32(Encode.ArrayHeader(c.Reserve(p, 0), 2), key);
        return _byKey[key].Codec.Write(ref field, p, c);
    }

    public override byte* Read(ref byte field, byte* p, ReadContext c)
    {
        if (*p != (Code.FixArray | 2) || ReadContext.IsTypeId(p + 1))
            return _any.Read(ref field, p, c);
        p = Decode.Ranged(p + 1, int.MinValue, int.MaxValue, out long key);
        if (!_byKey.TryGetValue((int)key, out (FieldCodec Codec, Type Type) member))
            BadData.Invalid($"key {key} is not in the union {Type}");
        return member.Codec.Read(ref field, p, c);
    }

    public override void Describe(DefinitionWriter definition) => definition.Entry(this);

    public void Define(DefinitionWriter definition)
    {
        definition.Begin(Type, SchemaForm.Union, _byKey.Count);
        foreach ((int key, (FieldCodec codec, Type _)) in _byKey.OrderBy(pair => pair.Key))
        {
            definition.Text(key.ToString(CultureInfo.InvariantCulture));
            codec.Describe(definition);
        }
    }
}
