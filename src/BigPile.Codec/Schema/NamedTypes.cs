using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

namespace BigPile.Codec.Schema;

/// <summary>
/// The types that the application named in its code, for example as a table's value type. Allowed like those in the options are the
/// assemblies that declare them, and those of their members' declared types; never the framework's.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal static class NamedTypes
{
    /// <summary>Whether a type was added before, or needs no adding.</summary>
    public static bool Contain(Type type, PileCodecOptions options) =>
        type.IsPrimitive || type == typeof(string) || options.NamedTypes.TryGetValue(type, out _);

    /// <summary>Marks a type as added. To be called after <see cref="Add"/> has taken effect.</summary>
    public static void Remember(Type type, PileCodecOptions options) => options.NamedTypes.TryAdd(type, options);

    /// <summary>Allows the assemblies of a type and of its members' types.</summary>
    /// <returns>Whether this allowed an assembly that was not allowed before.</returns>
    public static bool Add(Type type, PileCodecOptions options)
    {
        bool isMore = false;
        var reached = new HashSet<Type>();
        var open = new Stack<Type>([type]);
        while (open.TryPop(out Type? next))
        {
            if (!reached.Add(next))
                continue;
            foreach (Type part in PartsOf(next))
                open.Push(part);
            if (IsDeclaredOutside(next))
                isMore |= options.NamedAssemblies.TryAdd(next.Assembly, options);
        }
        return isMore;
    }

    // For a generic type the walk visits its definition's members: those of a type that contains larger constructions of itself never end.
    private static IEnumerable<Type> PartsOf(Type type)
    {
        if (type.HasElementType)
            return [type.GetElementType()!];
        if (type.IsConstructedGenericType)
            return [.. type.GetGenericArguments(), type.GetGenericTypeDefinition()];
        if (!IsDeclaredOutside(type))
            return [];
#pragma warning disable SYSLIB0050 // The attribute outlived the formatters that it was made for.
        IEnumerable<Type> members = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Where(static field => !field.IsNotSerialized).SelectMany(TypeOf);
#pragma warning restore SYSLIB0050
        return type.BaseType is { } level ? members.Append(level) : members;
    }

    // A member whose assembly is missing can't be stored, but must not prevent storing the others.
    private static IEnumerable<Type> TypeOf(FieldInfo field)
    {
        try
        {
            return [field.FieldType];
        }
        catch (Exception e) when (e is IOException or BadImageFormatException or TypeLoadException)
        {
            return [];
        }
    }

    private static bool IsDeclaredOutside(Type type) =>
        !type.HasElementType && !type.IsGenericParameter && !type.IsFunctionPointer && !type.Assembly.IsDynamic
        && !FrameworkNames.ComesWithFramework(type.Assembly.GetName());
}
