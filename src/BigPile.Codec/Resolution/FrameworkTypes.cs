using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Codec.Values;

namespace BigPile.Codec.Resolution;

/// <summary>
/// The base class library's types that a payload may name. All others are refused, because their private fields are no stable schema.
/// </summary>
internal static class FrameworkTypes
{
    /// <summary>Types that are stored by their fields, which no version of .NET has changed.</summary>
    private static readonly HashSet<Type> StoredByFields =
    [
        typeof(object), typeof(EventArgs),
        typeof(Tuple<>), typeof(Tuple<,>), typeof(Tuple<,,>), typeof(Tuple<,,,>), typeof(Tuple<,,,,>), typeof(Tuple<,,,,,>),
        typeof(Tuple<,,,,,,>), typeof(Tuple<,,,,,,,>),
        typeof(ValueTuple), typeof(ValueTuple<>), typeof(ValueTuple<,>), typeof(ValueTuple<,,>), typeof(ValueTuple<,,,>),
        typeof(ValueTuple<,,,,>), typeof(ValueTuple<,,,,,>), typeof(ValueTuple<,,,,,,>), typeof(ValueTuple<,,,,,,,>),
        typeof(KeyValuePair<,>), typeof(ArraySegment<>), typeof(StrongBox<>), typeof(Index), typeof(Range),
        typeof(Complex), typeof(Vector2), typeof(Vector3), typeof(Vector4), typeof(Quaternion), typeof(Plane),
        typeof(Matrix3x2), typeof(Matrix4x4),
        typeof(System.Drawing.Point), typeof(System.Drawing.PointF), typeof(System.Drawing.Size), typeof(System.Drawing.SizeF),
        typeof(System.Drawing.Color), typeof(System.Drawing.Rectangle), typeof(System.Drawing.RectangleF),
    ];

    /// <summary>All types that a payload may name, by full name.</summary>
    public static IReadOnlyDictionary<string, Type> ByName { get; } = MakeNames();

    public static bool IsStoredByFields(Type type) => StoredByFields.Contains(Definition(type));

    private static Type Definition(Type type) => type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;

    private static Dictionary<string, Type> MakeNames()
    {
        var names = new Dictionary<string, Type>();
        foreach (Type type in StoredByFields)
            names[type.FullName!] = type;
        foreach (Type type in LeafCodecs.Types)
            names[type.FullName!] = type;
        foreach (Type type in ModelFactory.KnownTypes)
            names[type.FullName!] = type;
        foreach (Type type in (Type[])[typeof(string), typeof(Nullable<>), typeof(System.Collections.Immutable.ImmutableArray<>),
            typeof(Memory<>), typeof(ReadOnlyMemory<>),
            typeof(Enum), typeof(ValueType), typeof(Array), typeof(DayOfWeek),
            typeof(DateTimeKind), typeof(StringComparison), typeof(TypeCode)])
            names[type.FullName!] = type;
        return names;
    }
}
