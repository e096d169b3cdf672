using System;
using System.Collections.Generic;
using System.Reflection;

namespace BigPile.Codec.Schema;

/// <summary>The former names of types, from their attributes.</summary>
internal static class FormerNames
{
    /// <summary>The types of an assembly, by former full name.</summary>
    public static Dictionary<string, Type> TypesOf(Assembly assembly)
    {
        var types = new Dictionary<string, Type>();
        foreach (Type? type in TypeRegistry.LoadableTypes(assembly))
        {
            if (type is null || !type.IsDefined(typeof(FormerNameAttribute), inherit: false))
                continue;
            foreach (FormerNameAttribute former in type.GetCustomAttributes<FormerNameAttribute>(inherit: false))
                types[FullName(type, former.Name)] = type;
        }
        return types;
    }

    private static string FullName(Type type, string former)
    {
        if (former.Contains('.', StringComparison.Ordinal) || type.FullName is not { } name)
            return former;
        return name[..(name.LastIndexOfAny(['.', '+']) + 1)] + former;
    }
}
