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
            fields.Add(new StoredField(member.Name ?? KeyName(member.Index), member.Member));
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
                fields[i] = fields[i] with { Name = fields[i].Member!.DeclaringType!.Name + "." + fields[i].Name };
        }
    }
}

/// <summary>A field, or a property that a contract wants stored, and the name under which a schema knows it; no member for a key that is left out.</summary>
internal readonly record struct StoredField(string Name, MemberInfo? Member)
{
    /// <summary>The type of the member's values.</summary>
    public Type ValueType => Member is FieldInfo info ? info.FieldType : ((PropertyInfo)Member!).PropertyType;

    /// <summary>The step that writes and reads the member through a slot for its values.</summary>
    public FieldPlan Plan(Slot slot, Type owner)
    {
        if (Member is FieldInfo info)
            return new FieldPlan(Name, FieldOffsets.Of(info), slot);
        Type definition = owner.IsValueType ? typeof(StructPropertySlot<,>) : typeof(PropertySlot<,>);
        Type accessor = definition.MakeGenericType(Member!.DeclaringType!, ValueType);
        return new FieldPlan(Name, 0, (Slot)Activator.CreateInstance(accessor, Member, slot)!);
    }
}
