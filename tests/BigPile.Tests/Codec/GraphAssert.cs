using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;

namespace BigPile.Tests.Codec;

/// <summary>Compares graphs: same types, same values, same shared references.</summary>
internal sealed class GraphAssert
{
    private readonly Dictionary<object, object> _pairs = new(ReferenceEqualityComparer.Instance);
    private readonly Stack<(object? Expected, object? Actual)> _work = new();

    public static void Same(object? expected, object? actual)
    {
        var walk = new GraphAssert();
        walk._work.Push((expected, actual));
        while (walk._work.TryPop(out (object? Expected, object? Actual) pair))
            walk.Compare(pair.Expected, pair.Actual);
    }

    private void Compare(object? expected, object? actual)
    {
        if (expected is null || actual is null)
        {
            Assert.True(expected is null && actual is null, $"{expected ?? "null"} became {actual ?? "null"}");
            return;
        }
        Type type = expected.GetType();
        Assert.Equal(type, actual.GetType());
        if (IsLeaf(type))
        {
            Assert.Equal(expected, actual);
            return;
        }
        if (!type.IsValueType && !IsNew(expected, actual))
            return;
        CompareContent(type, expected, actual);
    }

    private bool IsNew(object expected, object actual)
    {
        if (!_pairs.TryGetValue(expected, out object? known))
        {
            _pairs.Add(expected, actual);
            return true;
        }
        Assert.True(ReferenceEquals(known, actual), $"A shared {expected.GetType()} is no longer shared.");
        return false;
    }

    private void CompareContent(Type type, object expected, object actual)
    {
        if (expected is Array array)
            Assert.Equal(IndexRangesOf(array), IndexRangesOf((Array)actual));
        if (expected is IEnumerable items && IsFramework(type))
            CompareItems(items, (IEnumerable)actual);
        else
            CompareFields(type, expected, actual);
    }

    private void CompareItems(IEnumerable expected, IEnumerable actual)
    {
        IEnumerator other = actual.GetEnumerator();
        foreach (object? item in expected)
        {
            Assert.True(other.MoveNext(), "Elements are missing.");
            _work.Push((item, other.Current));
        }
        Assert.False(other.MoveNext(), "There are more elements than before.");
    }

    private void CompareFields(Type type, object expected, object actual)
    {
        for (Type? level = type; level is not null; level = level.BaseType)
        {
            if (IsFramework(level) && expected is IEnumerable items)
            {
                CompareItems(items, (IEnumerable)actual);
                return;
            }
            foreach (FieldInfo field in level.GetFields(
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly))
                _work.Push((field.GetValue(expected), field.GetValue(actual)));
        }
    }

    private static string IndexRangesOf(Array array)
    {
        string text = "";
        for (int d = 0; d < array.Rank; d++)
            text += $"{array.GetLowerBound(d)}..{array.GetUpperBound(d)};";
        return text;
    }

    private static bool IsFramework(Type type) => type.IsArray || type.Namespace?.StartsWith("System", StringComparison.Ordinal) == true;

    private static bool IsLeaf(Type type) =>
        type.IsPrimitive || type.IsEnum || type == typeof(string) || type == typeof(Uri) || type == typeof(PilePointer)
        || (type.IsValueType && type.Namespace is "System" or "System.Numerics" or "System.Text" && !type.IsGenericType);
}
