using System;
using System.Collections.Generic;
using System.Reflection;

namespace BigPile.Codec;

/// <summary>The names that types and members say they had.</summary>
internal static class FormerNames
{
    /// <summary>The types of an assembly by the full names that they had.</summary>
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

    /// <summary>The names that a member had.</summary>
    public static IEnumerable<string> Of(StoredField field, Type owner, PileCodecOptions options)
    {
        MemberInfo declared = DeclaredMember(field.Member!);
        foreach (FormerNameAttribute former in declared.GetCustomAttributes<FormerNameAttribute>(inherit: false))
            yield return former.Name;
        Type level = field.Member!.DeclaringType ?? owner;
        Type definition = level.IsConstructedGenericType ? level.GetGenericTypeDefinition() : level;
        foreach (((Type type, string former), string name) in options.FormerMembers)
        {
            if (type == definition && name == declared.Name)
                yield return former;
        }
    }

    // The attribute stands on the property, not on the field that the compiler made for it.
    private static MemberInfo DeclaredMember(MemberInfo member)
    {
        string name = FieldListBuilder.MemberName(member.Name);
        return name != member.Name && member.DeclaringType!.GetProperty(name, FieldListBuilder.Declared) is { } property ? property : member;
    }

    private static string FullName(Type type, string former)
    {
        if (former.Contains('.', StringComparison.Ordinal) || type.FullName is not { } name)
            return former;
        return name[..(name.LastIndexOfAny(['.', '+']) + 1)] + former;
    }
}
