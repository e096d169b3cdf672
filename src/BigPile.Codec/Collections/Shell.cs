using System;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Collections;

/// <summary>Fills an object that already has its identity with the state of another of the same type.</summary>
/// <remarks>An immutable collection can only be made whole, but others may have to refer to it before its content is known.</remarks>
internal static class Shell
{
    private static readonly ConditionalWeakTable<Type, FieldInfo[]> Fields = [];

    public static void Fill(object target, object made)
    {
        FieldInfo[] fields = Fields.GetValue(made.GetType(), static type =>
            type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic));
        foreach (FieldInfo field in fields)
            field.SetValue(target, field.GetValue(made));
    }
}
