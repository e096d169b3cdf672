using System;
using System.Collections;
using System.Collections.Generic;
using System.Reflection;
using BigPile.Codec.Graph;
using BigPile.Codec.Members;
using BigPile.Codec.Schema;
using BigPile.Codec.Values;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Collections;

/// <summary>
/// Refuses a collection whose keys have become equal since they were added, or would become so by storing: no reader could rebuild it.
/// </summary>
internal sealed class DistinctKeys<TKey>
{
    // The most types visited: those that a key consists of may be infinitely many.
    private const int MaxVisited = 64;

    // Whether keys have members that are not stored.
    private readonly bool _areStoredInPart = IsStoredInPart(typeof(TKey));

    // Whether keys can't change while they are in a collection.
    private readonly bool _areFixed = AreFixed(typeof(TKey), []);

    /// <summary>Whether keys can have become equal, and so must be checked: they can change, or the comparer may.</summary>
    public bool MayBeEqual(ComparerCode code) => !_areFixed || code == ComparerCode.Object;

    /// <summary>Checks the keys of a collection that is about to be written.</summary>
    /// <param name="collection">The collection's type.</param>
    /// <param name="keys">The keys.</param>
    /// <param name="comparer">The collection's comparer; null for the default one.</param>
    /// <param name="isSorted">Whether the collection orders its keys; if not, it hashes them.</param>
    /// <param name="c">The state of writing.</param>
    public void Check(Type collection, IEnumerable<TKey> keys, object? comparer, bool isSorted, WriteContext c)
    {
        ISet<TKey> seen = isSorted
            ? new SortedSet<TKey>((IComparer<TKey>?)comparer)
            : new HashSet<TKey>(EqualityOf(comparer));
        foreach (TKey key in keys)
        {
            if (!seen.Add(key))
                throw new RefusedException(
                    collection, $"Two keys of a {collection} are equal: they were changed after they were added, so no reader could "
                    + "rebuild it. Remove a key before you change it, and add it anew.");
        }
        if (_areStoredInPart)
            c.ReadBack("Keys of a collection differ only in members that are not stored.");
    }

    private static IEqualityComparer<TKey>? EqualityOf(object? comparer) => comparer is not (null or IEqualityComparer<TKey>)
        && comparer is IEqualityComparer untyped // that of a collection without type arguments
            ? EqualityComparer<TKey>.Create((x, y) => untyped.Equals(x, y), key => untyped.GetHashCode(key!))
            : (IEqualityComparer<TKey>?)comparer;

    // Whether nothing that keys are compared by can change while they are in a collection.
    private static bool AreFixed(Type key, HashSet<Type> visited)
    {
        if (SelfContainedKeys.Contains(key))
            return true;
        if (!key.IsSealed || key.IsArray || visited.Count == MaxVisited || !visited.Add(key) || IsStoredInPart(key))
            return false;
        for (Type? level = key; level is not null; level = level.BaseType)
        {
            foreach (FieldInfo field in level.GetFields(FieldListBuilder.Declared))
            {
                if (!field.IsInitOnly || !AreFixed(field.FieldType, visited))
                    return false;
            }
        }
        return true;
    }

    private static bool IsStoredInPart(Type key) => IsStoredInPart(key, []);

    private static bool IsStoredInPart(Type key, HashSet<Type> visited)
    {
        if (SelfContainedKeys.Contains(key) || visited.Count == MaxVisited || !visited.Add(key))
            return false;
        if (key.IsConstructedGenericType && Array.Exists(key.GetGenericArguments(), argument => IsStoredInPart(argument, visited)))
            return true;
        if (key.HasElementType || key.IsInterface || FrameworkNames.IsOfFramework(key))
            return key.HasElementType && IsStoredInPart(key.GetElementType()!, visited);
        int count = 0;
        for (Type? level = key; level is not null; level = level.BaseType)
            count += level.GetFields(FieldListBuilder.Declared).Length;
        List<StoredField> stored = FieldListBuilder.FieldsOf(key);
        return stored.Count != count || stored.Exists(field => field.Member is not null && IsStoredInPart(field.ValueType, visited));
    }
}
