using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Reflection;
using System.Security.Cryptography;
using System.Text;

namespace BigPile.MessagePackCSharp;

/// <summary>The types that a codec may put. Each has a number that is a hash of its name, so their order has no meaning.</summary>
/// <remarks>Thread safety: immutable.</remarks>
internal sealed class ListedTypes
{
    private readonly Dictionary<Type, uint> _numbers = [];
    private readonly Dictionary<uint, Type> _types = [];

    /// <exception cref="ArgumentException">A type can't have objects, is listed twice, or has the number of another one.</exception>
    internal ListedTypes(Type[] types)
    {
        foreach (Type? type in types)
        {
            if (type == null || type.ContainsGenericParameters || type.IsAbstract || type.IsPointer || type.IsByRef || type == typeof(void)
                || type == typeof(object) || Nullable.GetUnderlyingType(type) != null)
                throw new ArgumentException(
                    $"No object is of the type {type?.ToString() ?? "null"}. List only types whose objects can be put.", nameof(types));
            if (!_numbers.TryAdd(type, NumberOf(type.ToString())))
                throw new ArgumentException($"The type {type} is listed twice.", nameof(types));
        }
        foreach ((Type type, uint number) in _numbers)
            Add(number, type);
        foreach (Type type in types)
        {
            foreach (FormerNameAttribute former in type.GetCustomAttributes<FormerNameAttribute>(inherit: false))
                Add(NumberOf(FormerNameOf(type, former.Name)), type);
        }
    }

    internal bool TryGetNumber(Type type, out uint number) => _numbers.TryGetValue(type, out number);

    internal Type? Find(uint number) => _types.GetValueOrDefault(number);

    private void Add(uint number, Type type)
    {
        if (!_types.TryAdd(number, type))
            throw new ArgumentException(
                $"The types {_types[number]} and {type} have the same present or former name, or the same number. Rename one.", "types");
    }

    private static uint NumberOf(string name) => BinaryPrimitives.ReadUInt32LittleEndian(SHA256.HashData(Encoding.UTF8.GetBytes(name)));

    // For "Shop.Page`1[Shop.Order]" only the part before the brackets is replaced.
    private static string FormerNameOf(Type type, string former)
    {
        string arguments = type.ToString()[(type.IsGenericType ? type.GetGenericTypeDefinition().FullName! : type.FullName!).Length..];
        return (former.Contains('.', StringComparison.Ordinal) ? former : $"{type.Namespace}.{former}") + arguments;
    }
}
