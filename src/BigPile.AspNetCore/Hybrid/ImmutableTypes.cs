using System;
using System.Collections.Concurrent;
using System.ComponentModel;
using System.Linq;
using System.Reflection;

namespace BigPile.AspNetCore.Hybrid;

/// <summary>Types whose objects callers may share because they are immutable.</summary>
internal static class ImmutableTypes
{
    private static readonly Type[] Known =
    [
        typeof(string), typeof(decimal), typeof(DateTime), typeof(DateTimeOffset), typeof(DateOnly), typeof(TimeOnly), typeof(TimeSpan),
        typeof(Guid), typeof(Half), typeof(Int128), typeof(UInt128), typeof(Uri), typeof(Version),
    ];

    private static readonly ConcurrentDictionary<Type, bool> Answers = new();

    internal static bool Contains(Type type) => Answers.GetOrAdd(type, static type => Decide(type));

    private static bool Decide(Type type)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Contains(underlying);
        if (type.IsPrimitive || type.IsEnum || Known.Contains(type))
            return true;
        return type.IsSealed && type.GetCustomAttribute<ImmutableObjectAttribute>() is { Immutable: true };
    }
}
