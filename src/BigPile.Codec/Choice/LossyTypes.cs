using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using BigPile.Codec.Members;

namespace BigPile.Codec.Choice;

/// <summary>
/// Types that could be written by their fields, and would not come back as they were. What was written of them is still read.
/// </summary>
internal static class LossyTypes
{
    /// <summary>Elements of an inline array or a fixed buffer that are stored one by one.</summary>
    private const int MostElements = 1024;

    /// <summary>Why no object of a type is stored, as the end of a sentence; null when nothing speaks against it.</summary>
    public static string? WhyNot(Type type)
    {
        if (IsCompilerMade(type))
            return WhyNotCompilerMade(type);
        if (type.IsValueType && typeof(IPileReadCallback).IsAssignableFrom(type))
            return $"a structure can't be told that it was read: make it a class, or drop {nameof(IPileReadCallback)}";
        if (ElementRow.CountOf(type) > MostElements)
            return $"it has more than {MostElements:N0} elements in a row: hold an array";
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (level.IsExplicitLayout && FindOverlap(type) is var (first, second) && first is not null)
                return $"its fields {first} and {second} overlap, and would be stored apart: mark all but one of them [NonSerialized]";
        }
        return null;
    }

    private static bool IsCompilerMade(Type type) =>
        type.Name.StartsWith('<') && type.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);

    /// <summary>A type of the compiler's whose name another build may give to a different one.</summary>
    public static bool IsAnonymous(Type type) => IsCompilerMade(type) && type.Name.Contains("AnonymousType", StringComparison.Ordinal);

    private static string? WhyNotCompilerMade(Type type)
    {
        if (IsAnonymous(type))
            return "an anonymous type has no name that lasts, and another build takes it for a different one: use a record or a tuple";
        return typeof(IEnumerator).IsAssignableFrom(type) || typeof(IAsyncStateMachine).IsAssignableFrom(type)
            ? "it is a method that is still running: store its results, for example by ToList()"
            : null;
    }

    private static (string? First, string? Second) FindOverlap(Type type)
    {
        var places = new List<(int Start, int End, string Name)>();
        foreach (StoredField field in FieldListBuilder.FieldsOf(type, ModelFactory.ContainerBase(type)))
        {
            if (field.Member is FieldInfo info)
                places.Add((FieldOffsets.Of(info) + field.OffsetBytes, FieldOffsets.Of(info) + field.OffsetBytes
                    + SizeOf(info.FieldType), field.Name));
        }
        places.Sort();
        for (int i = 1; i < places.Count; i++)
        {
            if (places[i].Start < places[i - 1].End)
                return (places[i - 1].Name, places[i].Name);
        }
        return default;
    }

    private static int SizeOf(Type type) => type.IsValueType ? RuntimeHelpers.SizeOf(type.TypeHandle) : nint.Size;
}
