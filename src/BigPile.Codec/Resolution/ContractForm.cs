using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.ObjectModel;
using System.Numerics;
using System.Text;

namespace BigPile.Codec.Resolution;

/// <summary>The types that MessagePack-CSharp reads and writes in the same format as the pile.</summary>
internal static class ContractForm
{
    private static readonly HashSet<Type> Values =
    [
        typeof(bool), typeof(sbyte), typeof(byte), typeof(short), typeof(ushort), typeof(int), typeof(uint), typeof(long), typeof(ulong),
        typeof(float), typeof(double), typeof(char), typeof(string), typeof(TimeSpan), typeof(DateTimeOffset), typeof(DateOnly),
        typeof(TimeOnly),
        typeof(Rune), typeof(BigInteger), typeof(Memory<byte>), typeof(ReadOnlyMemory<byte>), typeof(Complex), typeof(Vector2),
        typeof(Vector3),
        typeof(Vector4), typeof(Quaternion), typeof(Matrix3x2), typeof(Matrix4x4), typeof(Uri), typeof(Version), typeof(StringBuilder),
    ];

    private static readonly HashSet<Type> Containers =
    [
        typeof(List<>), typeof(Dictionary<,>), typeof(HashSet<>), typeof(Queue<>), typeof(Stack<>), typeof(LinkedList<>),
            typeof(SortedSet<>),
        typeof(SortedDictionary<,>), typeof(SortedList<,>), typeof(ConcurrentDictionary<,>), typeof(ConcurrentQueue<>),
        typeof(ConcurrentStack<>), typeof(ConcurrentBag<>), typeof(Collection<>), typeof(ObservableCollection<>), typeof(ImmutableList<>),
        typeof(ImmutableQueue<>), typeof(ImmutableStack<>), typeof(ImmutableHashSet<>), typeof(ImmutableSortedSet<>),
        typeof(ImmutableDictionary<,>), typeof(ImmutableSortedDictionary<,>), typeof(FrozenDictionary<,>), typeof(FrozenSet<>),
        typeof(BitArray),
    ];

    /// <summary>Whether values of a type have the same bytes in both.</summary>
    public static bool IsValue(Type type) => Values.Contains(type) || type.IsEnum;

    /// <summary>Whether a container has the same bytes in both, if its elements have.</summary>
    public static bool IsContainer(Type type) =>
        type.IsSZArray || Containers.Contains(type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type);

    /// <summary>Whether a type is a tuple or a pair: an array of values of its arguments' types.</summary>
    public static bool IsTuple(Type type) => type.IsConstructedGenericType
        && (type.GetGenericTypeDefinition() == typeof(KeyValuePair<,>)
            || type.FullName!.StartsWith("System.Tuple`", StringComparison.Ordinal)
            || type.FullName.StartsWith("System.ValueTuple`", StringComparison.Ordinal));
}
