using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace BigPile.Kinds;

/// <summary>Values of which something could be lost.</summary>
internal static class Losses
{
    public static IEnumerable<Kind> All() =>
    [
        .. Places.Of("inline array", () => NumberRow.Of(1, 2, 3)),
        .. Places.Of("inline array of texts", () => TextRow.Of("a", null, "c")),
        .. Places.Of("fixed buffer", () => FixedRow.Of(5)),
        .. Places.Of("fixed buffer of characters", () => FixedText.Of("four")),
        .. Places.Of("class with a fixed buffer", () => new FixedHolder { Row = FixedRow.Of(9) }),
        .. Places.Of("explicit layout", () => new Apart { Number = 5, Flag = true }),
        .. Places.Of("overlap with one bearer", () => new Marked { All = 0x0102030405060708 }),
        .. Places.Of("overlap", () => new Overlap { Number = 7 }, Outcome.Refused),
        .. Places.Of("overlap in a class", () => new OverlapClass { Wide = 7 }, Outcome.Refused),
        .. Places.Of("empty overlap", () => default(Overlap)).Where(kind => !kind.Name.Contains("box", StringComparison.Ordinal)),
        .. Places.Of("customized culture", CustomCulture, Outcome.Refused),
        .. Places.Of("customized date format", CustomDates, Outcome.Refused),
        .. Places.Of("uri as it is", Uncanonical, Outcome.Refused),
        .. Places.Of("bounded text builder", () => new StringBuilder("abc", 0, 3, 4).Append('d'), Outcome.Kept),
        .. Places.Of("text builder with a limit", () => new StringBuilder(2, 5), Outcome.Refused),
        .. Anonymous(),
        new Kind("iterator", Outcome.Refused, () => new Sequence<int> { Items = Iterate() }),
        new Kind("iterator in a box", Outcome.Refused, () => new Box { Value = Iterate() }),
        new Kind("query", Outcome.Refused, () => new Sequence<int> { Items = new[] { 1, 2 }.Where(n => n > 1) }),
        .. Places.Of<IReadOnlyList<string>>("collection expression", () => ["a", "b"]),
        .. Places.Of<IReadOnlyCollection<Point>>("collection expression of one", () => [new(1, 2)]),
        .. Places.Of<IEnumerable<int>>("collection expression of any length", () => [.. Iterate(), 3]),
        .. Places.Of<IEnumerable<int>>("collection expression of nothing", () => []),
        .. Places.Of("captured parameters", () => new Captured("title", 5)),
        .. Places.Of("type that grows", () => new Growing<int> { Value = 1, Next = new Growing<List<int>> { Value = [2] } }),
        .. Places.Of("set of equal keys", () => EqualKeys(), Outcome.Refused),
        new Kind("closure", Outcome.Refused, () => new Box { Value = Closure() }),
        new Kind("type of one file", Outcome.Refused, () => new Box { Value = new OfThisFile() }),
        new Kind("signed bytes", Outcome.Kept, () => new sbyte[] { -1, 2 }),
        new Kind("small enumeration", Outcome.Kept, () => new[] { Small.One, Small.Two }),
        new Kind("booleans", Outcome.Kept, () => new[] { true, false }),
    ];

    private static IEnumerable<Kind> Anonymous()
    {
        yield return new Kind("anonymous", Outcome.Refused, () => new { Name = "n", Age = 5 });
        yield return new Kind("anonymous in a box", Outcome.Refused, () => new Box { Value = new { Name = "n", Age = 5 } });
        yield return new Kind("anonymous in a list", Outcome.Refused, () => new[] { new { Name = "n", Age = 5 } }.ToList());
        yield return new Kind("anonymous in an array", Outcome.Refused, () => new[] { new { Name = "n", Age = 5 } });
    }

    private static object Closure()
    {
        int number = 5;
        Func<int> closure = () => number;
        return closure.Target!;
    }

    private static HashSet<ChangingKey> EqualKeys()
    {
        var keys = new[] { new ChangingKey { Number = 7 }, new ChangingKey { Number = 8 } };
        var set = new HashSet<ChangingKey>(keys);
        keys[0].Number = keys[1].Number;
        return set;
    }

    private static IEnumerable<int> Iterate()
    {
        yield return 1;
        yield return 2;
    }

    private static CultureInfo CustomCulture()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = "#";
        return culture;
    }

    private static CultureInfo CustomDates()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.DateTimeFormat.ShortDatePattern = "yyyy";
        return CultureInfo.ReadOnly(culture);
    }

    private static Uri Uncanonical() =>
        new("http://host/a/../b?c=%41", new UriCreationOptions { DangerousDisablePathAndQueryCanonicalization = true });
}

file sealed class OfThisFile
{
    public int Number { get; set; } = 5;
}
