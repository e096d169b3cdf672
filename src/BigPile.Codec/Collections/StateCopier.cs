using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Collections;

/// <summary>Fills an object that already has its identity with the state of another of the same type.</summary>
/// <remarks>An immutable collection can only be made whole, but others may have to refer to it before its content is known.</remarks>
internal static class StateCopier
{
    private static readonly ConditionalWeakTable<Type, FieldInfo[]> Fields = [];

    public static void CopyInto(object target, object made)
    {
        foreach (FieldInfo field in Fields.GetValue(made.GetType(), FieldsOf))
            field.SetValue(target, field.GetValue(made));
    }

    // A class's list of fields lacks the private ones of its bases.
    private static FieldInfo[] FieldsOf(Type type)
    {
        var fields = new List<FieldInfo>();
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            fields.AddRange(level.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly));
        }
        return [.. fields];
    }
}
