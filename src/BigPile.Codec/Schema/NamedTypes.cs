using System;
using System.Collections.Generic;
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
    /// <summary>Adds a type to those that options allow.</summary>
    /// <returns>Whether an assembly is allowed now that was not before.</returns>
    public static bool Add(Type type, PileCodecOptions options)
    {
        if (type.IsPrimitive || type == typeof(string) || !options.NamedTypes.TryAdd(type, options))
            return false;
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
        IEnumerable<Type> members = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Select(static field => field.FieldType);
        return type.BaseType is { } level ? members.Append(level) : members;
    }

    private static bool IsDeclaredOutside(Type type) =>
        !type.HasElementType && !type.IsGenericParameter && !type.IsFunctionPointer && !type.Assembly.IsDynamic
        && !FrameworkNames.ComesWithFramework(type.Assembly.GetName());
}
