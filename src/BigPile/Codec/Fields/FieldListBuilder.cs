using System;
using System.Collections.Generic;
using System.Globalization;
using System.Reflection;

namespace BigPile.Codec;

/// <summary>Lists the fields of a type: all instance fields, private and inherited ones too, the base's first.</summary>
internal static class FieldListBuilder
{
    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    public static List<StoredField> FieldsOf(Type type, Type? stopAt = null)
    {
        if (Contract.Of(type) is { } contract)
            return ContractFields(contract);
        var levels = new Stack<Type>();
        for (Type? level = type; level is not null && level != typeof(object) && level != stopAt; level = level.BaseType)
            levels.Push(level);
        var fields = new List<StoredField>();
        foreach (Type level in levels)
            AddLevel(level, fields);
        QualifyHidden(fields);
        return fields;
    }

    private static List<StoredField> ContractFields(Contract contract)
    {
        var fields = new List<StoredField>();
        foreach (ContractMember member in contract.Members)
        {
            while (!contract.IsNamed && fields.Count < member.Index)
                fields.Add(new StoredField(KeyName(fields.Count), null));
            fields.Add(new StoredField(member.Name ?? KeyName(member.Index), member.Field));
        }
        return fields;
    }

    private static string KeyName(int index) => "#" + index.ToString(CultureInfo.InvariantCulture);

    private static void AddLevel(Type level, List<StoredField> fields)
    {
        FieldInfo[] declared = level.GetFields(Declared);
        Array.Sort(declared, (a, b) => a.MetadataToken.CompareTo(b.MetadataToken));
        foreach (FieldInfo field in declared)
        {
            string name = MemberName(field.Name);
            if (!IsIgnored(field, name))
                fields.Add(new StoredField(name, field));
        }
    }

    /// <summary>The property's name for the field that the compiler made for it.</summary>
    public static string MemberName(string fieldName) =>
        fieldName.StartsWith('<') && fieldName.IndexOf('>') is > 1 and var end && fieldName.EndsWith(">k__BackingField", StringComparison.Ordinal)
            ? fieldName[1..end]
            : fieldName;

    private static bool IsIgnored(FieldInfo field, string name)
    {
#pragma warning disable SYSLIB0050 // The attribute outlived the formatters that it was made for.
        if (field.IsNotSerialized || HasIgnoreAttribute(field))
            return true;
#pragma warning restore SYSLIB0050
        return name != field.Name
            && field.DeclaringType!.GetProperty(name, Declared) is { } property
            && HasIgnoreAttribute(property);
    }

    private static bool HasIgnoreAttribute(MemberInfo member)
    {
        foreach (CustomAttributeData attribute in member.CustomAttributes)
        {
            if (attribute.AttributeType.FullName is "System.Runtime.Serialization.IgnoreDataMemberAttribute")
                return true;
        }
        return false;
    }

    // A field keeps its plain name; one of the same name in a base class is told apart by the class.
    private static void QualifyHidden(List<StoredField> fields)
    {
        var taken = new HashSet<string>();
        for (int i = fields.Count - 1; i >= 0; i--)
        {
            if (!taken.Add(fields[i].Name))
                fields[i] = fields[i] with { Name = fields[i].Field!.DeclaringType!.Name + "." + fields[i].Name };
        }
    }
}

/// <summary>A field and the name under which a schema knows it; no field for a key that a contract leaves out.</summary>
internal readonly record struct StoredField(string Name, FieldInfo? Field);
