using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using BigPile.Codec.Members;

namespace BigPile.Codec.Evolution;

/// <summary>The former names of members.</summary>
internal static class FormerMembers
{
    /// <summary>The former names of a member, from its attributes and from the options.</summary>
    public static IEnumerable<string> Of(StoredField field, Type owner, PileCodecOptions options)
    {
        bool isCaptured = field.Member!.Name.StartsWith('<') && field.Member.Name.EndsWith(">P", StringComparison.Ordinal);
        foreach (string name in Declared(field, owner, options))
        {
            string captured = PileCodecOptions.CapturedField(name);
            yield return isCaptured ? captured : name; // a parameter now was most likely a parameter then
            yield return isCaptured ? name : captured;
        }
    }

    private static IEnumerable<string> Declared(StoredField field, Type owner, PileCodecOptions options)
    {
        MemberInfo declared = DeclaredMember(field.Member!);
        IEnumerable<FormerNameAttribute> formers = declared.GetCustomAttributes<FormerNameAttribute>(inherit: false)
            .Concat(declared == field.Member ? [] : field.Member!.GetCustomAttributes<FormerNameAttribute>(inherit: false))
            .Concat(ParametersOf(declared).SelectMany(static p => p.GetCustomAttributes<FormerNameAttribute>(inherit: false)));
        foreach (FormerNameAttribute former in formers)
            yield return former.Name;
        Type level = field.Member!.DeclaringType ?? owner;
        Type definition = level.IsConstructedGenericType ? level.GetGenericTypeDefinition() : level;
        foreach (((Type type, string former), string name) in options.FormerMembers)
        {
            if (type == definition && (name == declared.Name || PileCodecOptions.CapturedField(name) == declared.Name))
                yield return former;
        }
    }

    // The primary constructor's parameter of which the compiler made the member: a record's property, or a field.
    private static IEnumerable<ParameterInfo> ParametersOf(MemberInfo member) => member.DeclaringType!
        .GetConstructors(FieldListBuilder.Declared)
        .SelectMany(static constructor => constructor.GetParameters())
        .Where(parameter => parameter.Name is { } name
            && (PileCodecOptions.CapturedField(name) == member.Name || (name == member.Name && member is PropertyInfo)));

    // The attribute is on the property, not on its backing field.
    private static MemberInfo DeclaredMember(MemberInfo member)
    {
        string name = FieldListBuilder.MemberName(member.Name);
        return name != member.Name && member.DeclaringType!.GetProperty(name, FieldListBuilder.Declared) is { } property
            ? property
            : member;
    }
}
