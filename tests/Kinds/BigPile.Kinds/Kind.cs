using System;
using System.Collections.Generic;

namespace BigPile.Kinds;

/// <summary>What a put must do with a value.</summary>
internal enum Outcome
{
    /// <summary>It can be read by every later process.</summary>
    Kept,

    /// <summary>It is refused with a message that says what to do.</summary>
    Refused,
}

/// <summary>One value of the suite. It is made anew at each call, equal each time.</summary>
internal sealed record Kind(string Name, Outcome Outcome, Func<object> Make);

/// <summary>Puts a value of one type into every place that an object graph has for it.</summary>
internal static class Places
{
    public static IEnumerable<Kind> Of<T>(string name, Func<T> make, Outcome outcome = Outcome.Kept)
    {
        yield return new Kind(name + ": member", outcome, () => new Holder<T> { Before = 1, Value = make(), After = "end" });
        yield return new Kind(name + ": list", outcome, () => new List<T> { make(), make() });
        yield return new Kind(name + ": array", outcome, () => new[] { make() });
        yield return new Kind(name + ": dictionary value", outcome, () => new Dictionary<string, T> { ["a"] = make() });
        yield return new Kind(name + ": box", outcome, () => new Box { Value = make(), After = 7 });
        yield return new Kind(name + ": boxes", outcome, () => new object?[] { make(), "between", make() });
        yield return new Kind(name + ": value tuple", outcome, () => (make(), 5));
        yield return new Kind(name + ": pair", outcome, () => new KeyValuePair<int, T>(5, make()));
        yield return new Kind(name + ": interface member", outcome, () => new Sequence<T> { Items = new List<T> { make() } });
        yield return new Kind(name + ": page of list", outcome, () => new Page<IReadOnlyList<T>> { Item = new[] { make() } });
        yield return new Kind(name + ": derived list", outcome, () => new NamedList<T> { make() });
        yield return new Kind(name + ": record", outcome, () => new Entry<T>("e", make()));
    }

    /// <summary>The places of a type whose values can be keys.</summary>
    public static IEnumerable<Kind> OfKey<T>(string name, Func<T> make, Outcome outcome = Outcome.Kept)
        where T : notnull
    {
        foreach (Kind kind in Of(name, make, outcome))
            yield return kind;
        yield return new Kind(name + ": key", outcome, () => new Dictionary<T, int> { [make()] = 1 });
        yield return new Kind(name + ": set", outcome, () => new HashSet<T> { make() });
        yield return new Kind(name + ": frozen key", outcome, () =>
            System.Collections.Frozen.FrozenDictionary.ToFrozenDictionary(new Dictionary<T, int> { [make()] = 1 }));
    }

    /// <summary>The places of a type that only names something: an interface, or an enumeration in a constructed type.</summary>
    public static IEnumerable<Kind> OfName<T>(string name, Outcome outcome = Outcome.Kept)
    {
        yield return new Kind(name + ": empty page", outcome, () => new Page<T> { Number = 3 });
        yield return new Kind(name + ": empty list", outcome, () => new List<T>());
        yield return new Kind(name + ": empty array", outcome, () => Array.Empty<T>());
        yield return new Kind(name + ": page of pages", outcome, () => new Page<Page<T>> { Number = 3, Item = new Page<T>() });
        yield return new Kind(name + ": box of an empty page", outcome, () => new Box { Value = new Page<T>() });
        yield return new Kind(name + ": interface", outcome, () => new Sequence<T> { Items = [] });
    }
}
