using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Members;

/// <summary>A member of a contract type: its key (index or name), and whether it has the application's own formatter.</summary>
internal readonly record struct ContractMember(int Index, string? Name, MemberInfo Member, bool HasFormatter = false);

/// <summary>
/// A type's contract: its attributes of MessagePack-CSharp or of data contracts. These are recognized by name: no assembly is referenced.
/// </summary>
internal sealed class Contract
{
    private const string ObjectAttribute = "MessagePack.MessagePackObjectAttribute";
    private const string KeyAttribute = "MessagePack.KeyAttribute";
    private const string FormatterAttribute = "MessagePack.MessagePackFormatterAttribute";
    private const string IgnoreAttribute = "MessagePack.IgnoreMemberAttribute";
    private const string IgnoreDataAttribute = "System.Runtime.Serialization.IgnoreDataMemberAttribute";
    private const string DataContractAttribute = "System.Runtime.Serialization.DataContractAttribute";
    private const string DataMemberAttribute = "System.Runtime.Serialization.DataMemberAttribute";
    private const int NoIndex = -1;

    private const BindingFlags Declared =
        BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private readonly Type _type;
    private readonly bool _isDataContract;
    private readonly bool _usesPropertyNames;
    private readonly List<(ContractMember Member, int Order)> _members = [];

    private Contract(Type type, CustomAttributeData? attribute)
    {
        _type = type;
        _isDataContract = attribute is null;
        if (type.IsValueType && Callbacks.AreOn(type))
            throw new RefusedException(
                type, $"Structure {type} has serialization callbacks, which only a class can have: make it a class, or drop them.");
        _usesPropertyNames = attribute?.ConstructorArguments is [{ Value: true }, ..];
        AddLevel(type, Properties);
        AddLevel(type, Fields);
        CheckKeys();
    }

    /// <summary>Whether the keys are names, and objects are maps. If not, the keys are indexes, and objects are arrays.</summary>
    public bool IsNamed => _members.Count > 0 && _members[0].Member.Index == NoIndex;

    /// <summary>The members, in the order in which MessagePack-CSharp writes them.</summary>
    public IEnumerable<ContractMember> Members =>
        IsNamed ? _members.OrderBy(m => m.Order).Select(m => m.Member) : _members.Select(m => m.Member).OrderBy(m => m.Index);

    /// <summary>The contract of a type, or null if it has none.</summary>
    public static Contract? Of(Type type)
    {
        CustomAttributeData? attribute = FindInherited(type);
        return attribute is null && Find(type, DataContractAttribute) is null ? null : new Contract(type, attribute);
    }

    /// <summary>Whether a type has the attributes of MessagePack-CSharp.</summary>
    public static bool IsMessagePackObject(Type type) => FindInherited(type) is not null;

    /// <summary>Whether a type or a member has a formatter of the application's.</summary>
    public static bool HasFormatter(MemberInfo member) => Find(member, FormatterAttribute) is not null;

    private static CustomAttributeData? FindInherited(Type type)
    {
        CustomAttributeData? attribute = null;
        for (Type? level = type; level is not null && attribute is null; level = level.BaseType)
            attribute = Find(level, ObjectAttribute);
        return attribute;
    }

    private static CustomAttributeData? Find(MemberInfo member, string fullName) =>
        member.CustomAttributes.FirstOrDefault(a => a.AttributeType.FullName == fullName);

    private static bool IsIgnored(MemberInfo member) =>
        Find(member, IgnoreAttribute) is not null || Find(member, IgnoreDataAttribute) is not null;

    private static IEnumerable<MemberInfo> Properties(Type level) =>
        level.GetProperties(Declared).Where(p => p.GetIndexParameters().Length == 0);

    private static IEnumerable<MemberInfo> Fields(Type level) => level.GetFields(Declared).Where(f => !f.Name.StartsWith('<'));

    private void AddLevel(Type level, Func<Type, IEnumerable<MemberInfo>> members)
    {
        if (level.BaseType is { } parent && parent != typeof(object) && parent != typeof(ValueType))
            AddLevel(parent, members);
        foreach (MemberInfo member in members(level))
        {
            if (!IsIgnored(member))
                Add(member);
        }
    }

    private void Add(MemberInfo member)
    {
        CustomAttributeData? key = Find(member, _isDataContract ? DataMemberAttribute : KeyAttribute);
        bool isPublic = member is FieldInfo field ? field.IsPublic : ((PropertyInfo)member).GetAccessors().Length > 0;
        if (key is null && (_isDataContract || !isPublic))
            return;
        if (key is null && !_usesPropertyNames)
            throw new RefusedException(_type, $"Member {member.Name} of type {_type} has neither a key nor an ignore attribute.");
        // Where property names are the keys, a computed property without a setter is not data.
        if (key is null && FieldOf(member) is null && ((PropertyInfo)member).SetMethod is not { IsPublic: true })
            return;
        if (FieldOf(member) is null && ((PropertyInfo)member).GetMethod is null)
            throw new RefusedException(
                _type, $"Property {member.Name} of type {_type} has a key and no getter: there is nothing to store.");
        MemberInfo storage = FieldOf(member) ?? member;
        (int index, string? name, int order) = _usesPropertyNames ? (NoIndex, member.Name, int.MaxValue) : KeyOf(key!, member);
        _members.Add((new ContractMember(index, name, storage, HasFormatter(member)), order));
    }

    private (int Index, string? Name, int Order) KeyOf(CustomAttributeData attribute, MemberInfo member)
    {
        if (!_isDataContract)
            return attribute.ConstructorArguments[0].Value is int index
                ? (index, null, 0)
                : (NoIndex, (string)attribute.ConstructorArguments[0].Value!, int.MaxValue);
        int order = NoIndex;
        string name = member.Name;
        foreach (CustomAttributeNamedArgument argument in attribute.NamedArguments)
        {
            if (argument.MemberName == "Order")
                order = (int)argument.TypedValue.Value!;
            else if (argument.MemberName == "Name")
                name = (string)argument.TypedValue.Value!;
        }
        return order == NoIndex ? (NoIndex, name, order) : (order, null, order);
    }

    private static FieldInfo? FieldOf(MemberInfo member) =>
        member as FieldInfo ?? member.DeclaringType!.GetField($"<{member.Name}>k__BackingField", Declared);

    private void CheckKeys()
    {
        var keys = new HashSet<(int, string?)>();
        foreach ((ContractMember member, _) in _members)
        {
            if ((member.Index == NoIndex) != IsNamed || member.Index < NoIndex || !keys.Add((member.Index, member.Name)))
                throw new RefusedException(_type, $"The keys of type {_type} are not all names or all different numbers.");
        }
    }
}
