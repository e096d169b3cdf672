using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Collections;

/// <summary>Copies all fields of one object into another of the same class.</summary>
/// <remarks>
/// For immutable collections: other objects may refer to one before its content is read, but only a complete one can be made. So an empty
/// object is made first, and filled from the complete one.
/// </remarks>
internal static class StateCopier
{
    private static readonly ConditionalWeakTable<Type, FieldInfo[]> Fields = [];

    public static void CopyInto(object target, object made)
    {
        Debug.Assert(made.GetType().IsInstanceOfType(target), "What was made first has all fields of what is copied into it.");
        foreach (FieldInfo field in Fields.GetValue(made.GetType(), FieldsOf))
            field.SetValue(target, field.GetValue(made));
    }

    // GetFields of a class leaves out the private fields of its base classes.
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
