using System;
using System.Reflection;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;

namespace BigPile.Codec.Fields;

/// <summary>One step in writing or reading an object's fields.</summary>
internal readonly struct FieldPlan(string name, int offsetBytes, FieldCodec codec)
{
    public readonly FieldKind Kind = codec.Kind;

    public readonly int OffsetBytes = offsetBytes;

    public readonly FieldCodec Codec = codec;

    public readonly string Name = name;

    /// <summary>The step that writes and reads a member through a slot for its values.</summary>
    public static FieldPlan Of(StoredField field, FieldCodec codec, Type owner)
    {
        if (field.Member is FieldInfo info)
            return new FieldPlan(field.Name, FieldOffsets.Of(info) + field.OffsetBytes, codec);
        Type definition = owner.IsValueType ? typeof(StructPropertyCodec<,>) : typeof(PropertyCodec<,>);
        Type accessor = definition.MakeGenericType(field.Member!.DeclaringType!, field.ValueType);
        return new FieldPlan(field.Name, 0, (FieldCodec)Activator.CreateInstance(accessor, field.Member, codec)!);
    }
}
