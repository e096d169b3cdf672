using System;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Members;

/// <summary>Inline arrays and fixed buffers: structures with one declared field, and further elements after it.</summary>
internal static class InlineElements
{
    /// <summary>The number of elements of an inline array or a fixed buffer; 1 for every other type.</summary>
    public static int CountOf(Type type)
    {
        if (!type.IsValueType || type.IsPrimitive || type.IsEnum)
            return 1;
        if (type.GetCustomAttribute<InlineArrayAttribute>() is { } inline)
            return inline.Length;
        Debug.Assert(
            !IsFixedBuffer(type) || RuntimeHelpers.SizeOf(type.TypeHandle) % RuntimeHelpers.SizeOf(ElementOf(type).TypeHandle) == 0,
            "A fixed buffer holds its elements and nothing else.");
        return IsFixedBuffer(type) ? RuntimeHelpers.SizeOf(type.TypeHandle) / RuntimeHelpers.SizeOf(ElementOf(type).TypeHandle) : 1;
    }

    private static bool IsFixedBuffer(Type type) =>
        type.IsNested && type.Name.EndsWith("e__FixedBuffer", StringComparison.Ordinal) && type.IsDefined(typeof(UnsafeValueTypeAttribute));

    private static Type ElementOf(Type buffer) => buffer.GetFields(FieldListBuilder.Declared)[0].FieldType;
}
