using System;
using System.Buffers;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using BigPile.Codec.Wire;

namespace BigPile.Codec.Values;

/// <summary>The texts that represent objects of the base class library. An object that its text would not restore is refused.</summary>
internal static class TextForms
{
    private const char RelativeMark = '\0';
    private const char AbsoluteMark = '\u0001';
    private const char RulesMark = ';';

    // Characters that canonicalization of a URI leaves unchanged; a dot only if it does not follow a slash.
    private static readonly SearchValues<char> Canonical =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_~.:/?=&,;+@");

    // The names of read-only cultures. Such a culture never changes, so it is compared with the system's only once.
    private static readonly ConditionalWeakTable<CultureInfo, string> ReadOnlyCultures = [];

    public static string Of(Uri uri)
    {
        string text = uri.OriginalString;
        if (uri.IsAbsoluteUri && IsCanonical(text))
            return text;
        string marked = (uri.IsAbsoluteUri ? AbsoluteMark : RelativeMark) + text;
        if (text.Length == 0 || text[0] is not (AbsoluteMark or RelativeMark))
            return IsSame(uri, text) ? text : IsSame(uri, marked) ? marked : throw new RefusedException(typeof(Uri), WhyNot(text));
        return IsSame(uri, marked) ? marked : throw new RefusedException(typeof(Uri), WhyNot(text));
    }

    /// <summary>The URI of a text. A leading mark tells absolute from relative URIs where the text alone does not.</summary>
    public static Uri ParseUri(string text) => text switch
    {
        [RelativeMark, ..] => new Uri(text[1..], UriKind.Relative),
        [AbsoluteMark, ..] => new Uri(text[1..], UriKind.Absolute),
        _ => new Uri(text, UriKind.RelativeOrAbsolute),
    };

    private static bool IsCanonical(string text) =>
        !text.StartsWith('/') && !text.AsSpan().ContainsAnyExcept(Canonical) && !text.Contains("/.", StringComparison.Ordinal);

    private static bool IsSame(Uri uri, string text)
    {
        Uri again = ParseUri(text);
        return again.IsAbsoluteUri == uri.IsAbsoluteUri && (!uri.IsAbsoluteUri || again.AbsoluteUri == uri.AbsoluteUri);
    }

    private static string WhyNot(string text) =>
        $"The URI {text} can't be stored: it was made without canonicalization, which its text does not show. Store the text.";

    public static string Of(StringBuilder builder) => builder.MaxCapacity == int.MaxValue ? builder.ToString() : throw new RefusedException(
        typeof(StringBuilder),
        $"A StringBuilder with a limit of {builder.MaxCapacity:N0} characters can't be stored: its text does not show the limit. Store "
        + "the text.");

    public static string Of(CultureInfo culture)
    {
        if (culture.IsReadOnly)
            return ReadOnlyCultures.GetValue(culture, NameOf);
        return NameOf(culture);
    }

    private static string NameOf(CultureInfo culture)
    {
        string name = culture.ToString(); // with the sort order, which Name leaves out
        CultureInfo found = CultureInfo.GetCultureInfo(name);
        return ReferenceEquals(found, culture) || IsSame(found, culture) ? name : throw new RefusedException(
            typeof(CultureInfo),
            $"The culture '{name}' can't be stored: its formats were changed, and only its name is kept. Store what you changed.");
    }

    private static bool IsSame(CultureInfo found, CultureInfo culture) =>
        found.CompareInfo.Equals(culture.CompareInfo) && found.Calendar.GetType() == culture.Calendar.GetType()
        && HasSameProperties(found.NumberFormat, culture.NumberFormat) && HasSameProperties(found.DateTimeFormat, culture.DateTimeFormat);

    private static bool HasSameProperties(object expected, object actual)
    {
        foreach (PropertyInfo property in expected.GetType().GetProperties(BindingFlags.Instance | BindingFlags.Public))
        {
            if (property.Name == nameof(NumberFormatInfo.IsReadOnly) || property.PropertyType == typeof(Calendar))
                continue;
            object? first = property.GetValue(expected);
            object? second = property.GetValue(actual);
            if (first is Array items
                ? !System.Collections.StructuralComparisons.StructuralEqualityComparer.Equals(items, second)
                : !Equals(first, second))
                return false;
        }
        return true;
    }

    /// <summary>The zone's id if the system has the zone with the same rules, else the zone's rules.</summary>
    public static string Of(TimeZoneInfo zone)
    {
        if (TimeZoneInfo.TryFindSystemTimeZoneById(zone.Id, out TimeZoneInfo? known) && known.HasSameRules(zone)
            && !zone.Id.Contains(RulesMark))
            return zone.Id;
        string rules = zone.ToSerializedString();
        return TryParseRules(rules) is { } again && again.Equals(zone) ? rules : throw new RefusedException(
            typeof(TimeZoneInfo),
            $"The time zone '{zone.Id}' can't be stored: the system does not know it, and its rules have no text. Store what it was made "
            + "from.");
    }

    public static TimeZoneInfo ParseZone(string text) =>
        text.Contains(RulesMark) ? TimeZoneInfo.FromSerializedString(text) : TimeZoneInfo.FindSystemTimeZoneById(text);

    private static TimeZoneInfo? TryParseRules(string rules)
    {
        try
        {
            return TimeZoneInfo.FromSerializedString(rules);
        }
        catch (Exception e) when (e is System.Runtime.Serialization.SerializationException or ArgumentException)
        {
            return null;
        }
    }
}
