using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;

namespace BigPile.Codec.Schema;

/// <summary>
/// The types that the application named in its code, as those of a table's values. The assemblies that declare them, and what their
/// objects are declared to hold, are allowed as if the options did; but never the framework's.
/// </summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal static class NamedTypes
{
    /// <summary>Whether nothing is left to be done for a type.</summary>
    public static bool Contain(Type type, PileCodecOptions options) =>
        type.IsPrimitive || type == typeof(string) || options.NamedTypes.TryGetValue(type, out _);

    /// <summary>Has <see cref="Contain"/> find a type, once it is added and counts.</summary>
    public static void Remember(Type type, PileCodecOptions options) => options.NamedTypes.TryAdd(type, options);

    /// <summary>Allows the assemblies of a type and its members.</summary>
    /// <returns>Whether one is allowed now that was not before.</returns>
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

    // Of a generic type the definition's members are looked at, as those of a type that is made of itself have no end.
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

    // A member of an assembly that is not here can't be stored, and keeps nobody from storing others.
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
