using System;

#pragma warning disable IDE0130, CA1019, CA1813 // Copies of another library's attributes, which the codec recognizes by name.
namespace MessagePack;

[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct)]
internal sealed class MessagePackObjectAttribute(bool keyAsPropertyName = false) : Attribute
{
    public bool KeyAsPropertyName { get; } = keyAsPropertyName;
}

[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
internal sealed class KeyAttribute : Attribute
{
    public KeyAttribute(int key) => IntKey = key;

    public KeyAttribute(string key) => StringKey = key;

    public int? IntKey { get; }

    public string? StringKey { get; }
}

[AttributeUsage(AttributeTargets.Field | AttributeTargets.Property)]
internal sealed class IgnoreMemberAttribute : Attribute;

[AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface, AllowMultiple = true)]
internal sealed class UnionAttribute(int key, Type subType) : Attribute
{
    public int Key { get; } = key;

    public Type SubType { get; } = subType;
}

internal interface IMessagePackSerializationCallbackReceiver
{
    void OnBeforeSerialize();

    void OnAfterDeserialize();
}
