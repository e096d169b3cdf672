using System;
using System.Collections.Generic;

namespace BigPile.Kinds;

/// <summary>What a put must do with a value.</summary>
internal enum Fate
{
    /// <summary>It can be read by every later process.</summary>
    Kept,

    /// <summary>It is refused with a message that says what to do.</summary>
    Refused,
}

/// <summary>One value of the suite. It is made anew at each call, equal each time.</summary>
internal sealed record Kind(string Name, Fate Fate, Func<object> Make);

/// <summary>Puts a value of one type into every place that an object graph has for it.</summary>
internal static class Places
{
    public static IEnumerable<Kind> Of<T>(string name, Func<T> make, Fate fate = Fate.Kept)
    {
        yield return new Kind(name + ": member", fate, () => new Holder<T> { Before = 1, Value = make(), After = "end" });
        yield return new Kind(name + ": list", fate, () => new List<T> { make(), make() });
        yield return new Kind(name + ": array", fate, () => new[] { make() });
        yield return new Kind(name + ": dictionary value", fate, () => new Dictionary<string, T> { ["a"] = make() });
        yield return new Kind(name + ": box", fate, () => new Box { Value = make(), After = 7 });
        yield return new Kind(name + ": boxes", fate, () => new object?[] { make(), "between", make() });
        yield return new Kind(name + ": value tuple", fate, () => (make(), 5));
        yield return new Kind(name + ": pair", fate, () => new KeyValuePair<int, T>(5, make()));
        yield return new Kind(name + ": interface member", fate, () => new Sequence<T> { Items = new List<T> { make() } });
        yield return new Kind(name + ": page of list", fate, () => new Page<IReadOnlyList<T>> { Item = new[] { make() } });
        yield return new Kind(name + ": derived list", fate, () => new NamedList<T> { make() });
        yield return new Kind(name + ": record", fate, () => new Entry<T>("e", make()));
    }

    /// <summary>The places of a type whose values can be keys.</summary>
    public static IEnumerable<Kind> OfKey<T>(string name, Func<T> make, Fate fate = Fate.Kept)
        where T : notnull
    {
        foreach (Kind kind in Of(name, make, fate))
            yield return kind;
        yield return new Kind(name + ": key", fate, () => new Dictionary<T, int> { [make()] = 1 });
        yield return new Kind(name + ": set", fate, () => new HashSet<T> { make() });
        yield return new Kind(name + ": frozen key", fate, () =>
            System.Collections.Frozen.FrozenDictionary.ToFrozenDictionary(new Dictionary<T, int> { [make()] = 1 }));
    }

    /// <summary>The places of a type that only names something: an interface, or an enumeration in a constructed type.</summary>
    public static IEnumerable<Kind> OfName<T>(string name, Fate fate = Fate.Kept)
    {
        yield return new Kind(name + ": empty page", fate, () => new Page<T> { Number = 3 });
        yield return new Kind(name + ": empty list", fate, () => new List<T>());
        yield return new Kind(name + ": empty array", fate, () => Array.Empty<T>());
        yield return new Kind(name + ": page of pages", fate, () => new Page<Page<T>> { Number = 3, Item = new Page<T>() });
        yield return new Kind(name + ": box of an empty page", fate, () => new Box { Value = new Page<T>() });
        yield return new Kind(name + ": interface", fate, () => new Sequence<T> { Items = [] });
    }
}
