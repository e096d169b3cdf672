using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace BigPile.Kinds;

/// <summary>Compares collections by what they offer besides their enumeration: every property, each way to ask for an element.</summary>
internal static class Offers
{
    // Capacity and synchronization are not content.
    private static readonly HashSet<string> Ignored = ["Capacity", "SyncRoot", "Chars"];

    /// <summary>Compares two values.</summary>
    public delegate string? Comparison(object? expected, object? actual, string path);

    public static string? Difference(object expected, object actual, string path, Comparison compare)
    {
        foreach (Type offered in Offered(expected.GetType(), actual.GetType()))
        {
            if (!offered.IsInstanceOfType(actual))
                return $"{path} is no {offered} any more";
            foreach (PropertyInfo property in offered.GetProperties(BindingFlags.Instance | BindingFlags.Public))
            {
                if (property.GetIndexParameters().Length != 0 || Ignored.Contains(property.Name) || property.PropertyType.IsByRefLike)
                    continue;
                object? was = Result(() => property.GetValue(expected));
                if (compare(was, Result(() => property.GetValue(actual)), $"{path}.{property.Name}") is { } difference)
                    return difference;
            }
            if (Questions(offered, expected, actual, path, compare) is { } answer)
                return answer;
        }
        return null;
    }

    private static IEnumerable<Type> Offered(Type expected, Type actual)
    {
        foreach (Type type in expected.GetInterfaces())
            yield return type;
        Type visible = expected == actual ? expected : Plain.PublicType(expected);
        if (visible.IsAssignableFrom(expected))
            yield return visible;
    }

    private static string? Questions(Type offered, object expected, object actual, string path, Comparison compare)
    {
        if (!offered.IsConstructedGenericType)
            return null;
        Type definition = offered.GetGenericTypeDefinition();
        if (definition == typeof(ICollection<>))
            return Each(offered.GetMethod("Contains")!, expected, actual, path, static item => item, compare);
        if (definition == typeof(ILookup<,>))
            return Each(offered.GetMethod("Contains")!, expected, actual, path, KeyOf, compare)
                ?? Each(offered.GetMethod("get_Item")!, expected, actual, path, KeyOf, compare);
        return definition == typeof(IReadOnlyDictionary<,>) || definition == typeof(IDictionary<,>)
            ? Each(offered.GetMethod("ContainsKey")!, expected, actual, path, KeyOf, compare)
                ?? Each(offered.GetMethod("get_Item")!, expected, actual, path, KeyOf, compare)
            : null;
    }

    private static string? Each(
        MethodInfo method, object expected, object actual, string path, Func<object?, object?> questionOf, Comparison compare)
    {
        object?[] expectedItems = [.. ((IEnumerable)expected).Cast<object?>()];
        object?[] actualItems = [.. ((IEnumerable)actual).Cast<object?>()];
        for (int i = 0; i < Math.Min(expectedItems.Length, actualItems.Length); i++)
        {
            object? was = Result(() => method.Invoke(expected, [questionOf(expectedItems[i])]));
            object? found = Result(() => method.Invoke(actual, [questionOf(actualItems[i])]));
            if (compare(was, found, $"{path}.{method.Name}({i})") is { } difference)
                return difference;
        }
        return null;
    }

    private static object? KeyOf(object? item) => item!.GetType().GetProperty("Key")!.GetValue(item);

    private static object? Result(Func<object?> read)
    {
        try
        {
            return read();
        }
        catch (TargetInvocationException e)
        {
            return $"{e.InnerException!.GetType()}"; // the same one is offered by both
        }
    }
}
