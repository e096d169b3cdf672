using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Kinds;

/// <summary>Compares graphs by what can be seen of them: types, values, elements, private fields of the application's classes.</summary>
internal sealed class Same
{
    private readonly HashSet<(object, object)> _seen = new(new PairComparer());
    private readonly HashSet<(object, object)> _offered = new(new PairComparer());

    public static string? Difference(object expected, object actual) => new Same().Compare(expected, actual, "value");

    private string? Compare(object? expected, object? actual, string path)
    {
        if (expected is null || actual is null)
            return expected is null && actual is null ? null : $"{path} is {actual ?? "null"} and was {expected ?? "null"}";
        Type type = expected.GetType();
        if (type != actual.GetType() && Plain.PublicType(type) != Plain.PublicType(actual.GetType()))
            return $"{path} is a {actual.GetType()} and was a {type}";
        if (Plain.Text(expected) is { } text)
            return text == Plain.Text(actual) ? CompareOffers(expected, actual, path) : $"{path} is {Plain.Text(actual)} and was {text}";
        if (!type.IsValueType && !_seen.Add((expected, actual)))
            return null;
        string? difference = expected is IEnumerable items && !IsOwn(type) ? CompareItems(items, (IEnumerable)actual, path) : null;
        return difference ?? CompareFields(type, expected, actual, path) ?? CompareOffers(expected, actual, path);
    }

    private string? CompareOffers(object expected, object actual, string path) =>
        expected is IEnumerable and not string && (expected.GetType().IsValueType || _offered.Add((expected, actual)))
            ? Offers.Difference(expected, actual, path, Compare)
            : null;

    private string? CompareItems(IEnumerable expected, IEnumerable actual, string path)
    {
        IEnumerator other = actual.GetEnumerator();
        int index = 0;
        foreach (object? item in expected)
        {
            if (!other.MoveNext())
                return $"{path} ends at {index}";
            if (Compare(item, other.Current, $"{path}[{index++}]") is { } difference)
                return difference;
        }
        return other.MoveNext() ? $"{path} has more than {index} elements" : null;
    }

    private string? CompareFields(Type type, object expected, object actual, string path)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (!IsOwn(level))
            {
                if (expected is IEnumerable items)
                    return CompareItems(items, (IEnumerable)actual, path);
                if (!type.IsValueType && !Plain.IsTuple(level))
                    continue;
            }
            foreach (FieldInfo field in level.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
            {
                if (Compare(field.GetValue(expected), field.GetValue(actual), $"{path}.{field.Name}") is { } difference)
                    return difference;
            }
        }
        return null;
    }

    private static bool IsOwn(Type type) =>
        !type.IsArray && type.Namespace?.StartsWith("System", StringComparison.Ordinal) != true && Plain.PublicType(type) == type;

    private sealed class PairComparer : IEqualityComparer<(object, object)>
    {
        public bool Equals((object, object) a, (object, object) b) =>
            ReferenceEquals(a.Item1, b.Item1) && ReferenceEquals(a.Item2, b.Item2);

        public int GetHashCode((object, object) pair) => RuntimeHelpers.GetHashCode(pair.Item1);
    }
}
