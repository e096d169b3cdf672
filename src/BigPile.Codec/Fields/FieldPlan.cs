using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;

namespace BigPile.Codec.Fields;

/// <summary>How to write and read one field of an object.</summary>
internal readonly struct FieldPlan(string name, int offsetBytes, FieldCodec codec)
{
    /// <summary>The codec's kind, copied here to save a load.</summary>
    public readonly FieldKind Kind = codec.Kind;

    /// <summary>The field's offset from the first byte of the object's fields; 0 for a property, which is reached by its owner.</summary>
    public readonly int OffsetBytes = offsetBytes;

    public readonly FieldCodec Codec = codec;

    /// <summary>The member's name in the schema.</summary>
    public readonly string Name = name;

    /// <summary>Whether values may have fields of their own.</summary>
    public bool MayNest => Kind is FieldKind.Reference or FieldKind.Other && Codec.LeafName is null;

    /// <summary>The plan of a member, with the codec of its values.</summary>
    public static FieldPlan Of(StoredField field, FieldCodec codec, Type owner)
    {
        Debug.Assert(field.Member is not FieldInfo { IsStatic: true }, "A field of the type itself has no offset in an object.");
        if (field.Member is FieldInfo info)
        {
            Debug.Assert(IsInside(info, FieldOffsets.Of(info) + field.OffsetBytes), "A field lies within its structure.");
            return new FieldPlan(field.Name, FieldOffsets.Of(info) + field.OffsetBytes, codec);
        }
        Type definition = owner.IsValueType ? typeof(StructPropertyCodec<,>) : typeof(PropertyCodec<,>);
        Type accessor = definition.MakeGenericType(field.Member!.DeclaringType!, field.ValueType);
        return new FieldPlan(field.Name, 0, (FieldCodec)Activator.CreateInstance(accessor, field.Member, codec)!);
    }

    /// <summary>Whether a field lies inside its object; for assertions.</summary>
    private static bool IsInside(FieldInfo field, int offsetBytes)
    {
        int fieldBytes = field.FieldType.IsValueType ? RuntimeHelpers.SizeOf(field.FieldType.TypeHandle) : nint.Size;
        return offsetBytes >= 0 && (!field.DeclaringType!.IsValueType
            || offsetBytes + fieldBytes <= RuntimeHelpers.SizeOf(field.DeclaringType.TypeHandle));
    }
}
