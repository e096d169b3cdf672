using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using BigPile.Codec.Members;

namespace BigPile.Codec.Resolution;

/// <summary>
/// Types that could be written by their fields but not restored. Payloads of them, which older versions wrote, are still read.
/// </summary>
internal static class LossyTypes
{
    /// <summary>The most elements of an inline array or a fixed buffer. Each is stored as a field.</summary>
    private const int MostElements = 1024;

    /// <summary>Why no object of a type is stored, as the end of a sentence; null if there is no reason.</summary>
    public static string? WhyNot(Type type)
    {
        if (IsCompilerMade(type))
            return WhyNotCompilerMade(type);
        if (IsOfOneFile(type))
            return "it is a file-local type, which the compiler names after the file's path: make it internal";
        if (type.IsValueType && typeof(IPileReadCallback).IsAssignableFrom(type))
            return $"a structure can't have a read callback: make it a class, or drop {nameof(IPileReadCallback)}";
        if (InlineElements.CountOf(type) > MostElements)
            return $"it has more than {MostElements:N0} elements in a row: hold an array";
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (level.IsExplicitLayout && FindOverlap(type) is var (first, second) && first is not null)
                return $"its fields {first} and {second} overlap, and would be stored twice: mark all but one of them [NonSerialized]";
        }
        return null;
    }

    // The compilers put characters into such names that no source can have: "<" in C# and F#, "$" in Visual Basic.
    private static bool IsCompilerMade(Type type) =>
        type.Name.AsSpan().ContainsAny('<', '$') && type.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);

    private static bool IsOfOneFile(Type type)
    {
        Type outermost = type;
        while (outermost.DeclaringType is { } outer)
            outermost = outer;
        return !type.HasElementType && outermost.Name.StartsWith('<') && !IsCompilerMade(outermost);
    }

    /// <summary>Whether a type is anonymous: another build may give its name to a different type.</summary>
    public static bool IsAnonymous(Type type) => IsCompilerMade(type) && type.Name.Contains("AnonymousType", StringComparison.Ordinal);

    /// <summary>The element type of a list that the compiler made for a collection expression; null for any other type.</summary>
    public static Type? CollectionExpressionElement(Type type) => type.IsConstructedGenericType && IsCompilerMade(type)
        && type.GetGenericArguments() is [var element] && typeof(IList<>).MakeGenericType(element).IsAssignableFrom(type)
            ? element
            : null;

    private static string? WhyNotCompilerMade(Type type)
    {
        if (IsAnonymous(type))
            return "an anonymous type has no lasting name: another build may give it to a different type. Use a record or a tuple";
        if (typeof(IEnumerator).IsAssignableFrom(type) || typeof(IAsyncStateMachine).IsAssignableFrom(type))
            return "it is the state of a running method: store its results, for example by ToList()";
        return !type.IsValueType && CollectionExpressionElement(type) is null // a fixed buffer's type is named after its field
            ? "the compiler generated it, and another build may have no type of its name: use a named class or record"
            : null;
    }

    private static (string? First, string? Second) FindOverlap(Type type)
    {
        var ranges = new List<(int Start, int End, string Name)>();
        foreach (StoredField field in FieldListBuilder.FieldsOf(type, ModelFactory.ContainerBase(type)))
        {
            if (field.Member is FieldInfo info)
                ranges.Add((FieldOffsets.Of(info) + field.OffsetBytes, FieldOffsets.Of(info) + field.OffsetBytes
                    + SizeOf(info.FieldType), field.Name));
        }
        ranges.Sort();
        for (int i = 1; i < ranges.Count; i++)
        {
            if (ranges[i].Start < ranges[i - 1].End)
                return (ranges[i - 1].Name, ranges[i].Name);
        }
        return default;
    }

    private static int SizeOf(Type type) => type.IsValueType ? RuntimeHelpers.SizeOf(type.TypeHandle) : nint.Size;
}
