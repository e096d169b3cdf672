using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Codec.Members;

/// <summary>Lists the fields of a type: all instance fields, also private and inherited ones, those of base classes first.</summary>
internal static class FieldListBuilder
{
    internal const BindingFlags Declared =
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
        Debug.Assert(fields.DistinctBy(static field => field.Name).Count() == fields.Count, "Readers find fields by their names.");
        return fields;
    }

    private static List<StoredField> ContractFields(Contract contract)
    {
        var fields = new List<StoredField>();
        foreach (ContractMember member in contract.Members)
        {
            while (!contract.IsNamed && fields.Count < member.Index)
                fields.Add(new StoredField(KeyName(fields.Count), null));
            Debug.Assert(contract.IsNamed || fields.Count == member.Index, "Indexes ascend, and each is that of one member.");
            fields.Add(new StoredField(member.Name ?? KeyName(member.Index), member.Member, HasFormatter: member.HasFormatter));
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
                AddElements(name, field, InlineElements.CountOf(level), fields);
        }
    }

    // The first element has the field's name without an index: former versions stored only this element.
    private static void AddElements(string name, FieldInfo field, int count, List<StoredField> fields)
    {
        fields.Add(new StoredField(name, field));
        if (count == 1)
            return;
        int elementBytes = field.FieldType.IsValueType ? RuntimeHelpers.SizeOf(field.FieldType.TypeHandle) : nint.Size;
        Debug.Assert(
            count * (long)elementBytes <= RuntimeHelpers.SizeOf(field.DeclaringType!.TypeHandle), "The elements lie in the structure.");
        for (int i = 1; i < count; i++)
            fields.Add(new StoredField(string.Create(CultureInfo.InvariantCulture, $"{name}[{i}]"), field, i * elementBytes));
    }

    /// <summary>The name of the property if the field is its backing field, else the field's name.</summary>
    public static string MemberName(string fieldName) =>
        fieldName.StartsWith('<') && fieldName.IndexOf('>') is > 1 and var end
            && fieldName.EndsWith(">k__BackingField", StringComparison.Ordinal)
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

    // The most derived field of a name keeps it. A field of the same name in a base class gets its class's name as a prefix.
    private static void QualifyHidden(List<StoredField> fields)
    {
        var taken = new HashSet<string>();
        for (int i = fields.Count - 1; i >= 0; i--)
        {
            if (taken.Add(fields[i].Name))
                continue;
            string name = QualifiedName(fields[i]);
            Type level = fields[i].Member!.DeclaringType!;
            Type definition = level.IsConstructedGenericType ? level.GetGenericTypeDefinition() : level;
            if (!taken.Add(name) && !taken.Add(name = definition.FullName + "." + fields[i].Name))
                taken.Add(name = definition.Assembly.GetName().Name + "/" + name);
            fields[i] = fields[i] with { Name = name };
        }
    }

    /// <summary>
    /// A hidden field's name with its class's simple name as a prefix. Former versions gave this name also to the fields of several base
    /// classes with one simple name.
    /// </summary>
    public static string QualifiedName(StoredField field) => field.Member!.DeclaringType!.Name + "." + MemberName(field.Member.Name);
}

/// <summary>
/// A stored member: a field, or a property that a contract wants stored.
/// </summary>
/// <param name="Name">The name in the schema.</param>
/// <param name="Member">The field or property; null for an index that the contract leaves out.</param>
/// <param name="OffsetBytes">The value's offset from the field: not 0 for the further elements of inline arrays and fixed buffers.</param>
/// <param name="HasFormatter">Whether the member has a formatter of the application's.</param>
internal readonly record struct StoredField(string Name, MemberInfo? Member, int OffsetBytes = 0, bool HasFormatter = false)
{
    public Type ValueType => Member is FieldInfo info ? info.FieldType : ((PropertyInfo)Member!).PropertyType;
}
