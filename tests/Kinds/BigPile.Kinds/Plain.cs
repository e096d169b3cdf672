using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Collections.Specialized;
using System.Globalization;
using System.Linq;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace BigPile.Kinds;

/// <summary>Values that are compared as text, with everything in it that tells two of them apart.</summary>
internal static class Plain
{
    /// <summary>The text of a value, or null for one that is compared by its parts.</summary>
    public static string? Text(object value) => value switch
    {
        string text => text,
        ISeen seen => seen.Seen,
        double number => BitConverter.DoubleToInt64Bits(number).ToString(CultureInfo.InvariantCulture),
        float number => BitConverter.SingleToInt32Bits(number).ToString(CultureInfo.InvariantCulture),
        Half number => BitConverter.HalfToInt16Bits(number).ToString(CultureInfo.InvariantCulture),
        DateTime time => time.ToString("o", CultureInfo.InvariantCulture) + time.Kind,
        DateTimeOffset time => time.ToString("o", CultureInfo.InvariantCulture),
        BigInteger number => number.ToString(CultureInfo.InvariantCulture),
        Uri uri => Describe(uri),
        StringBuilder builder => $"{builder} {builder.MaxCapacity}",
        CultureInfo culture => culture.Name + culture.NumberFormat.NumberDecimalSeparator + culture.DateTimeFormat.ShortDatePattern,
        TimeZoneInfo zone => zone.Id + zone.BaseUtcOffset + zone.GetAdjustmentRules().Length,
        Type type => type.AssemblyQualifiedName,
        Enum or IFormattable when value.GetType().IsPrimitive
            || value is Enum or Guid or TimeSpan or DateOnly or TimeOnly or decimal or Int128 or UInt128 or Rune =>
            ((IFormattable)value).ToString(null, CultureInfo.InvariantCulture),
        Regex regex => $"{regex} {regex.Options} {regex.MatchTimeout}",
        JsonNode node => $"{PublicType(node.GetType())} {node.ToJsonString()} {node.Options?.PropertyNameCaseInsensitive}",
        JsonDocument document => document.RootElement.GetRawText(),
        JsonElement element => element.ValueKind == JsonValueKind.Undefined ? "undefined" : element.GetRawText(),
        XDocument document => document.Declaration + document.ToString(SaveOptions.DisableFormatting),
        XElement element => element.ToString(SaveOptions.DisableFormatting),
        Exception e => $"{e.GetType()} {e.Message} {e.StackTrace} {e.HResult} {e.Source} {e.InnerException} {e.Data.Count} "
            + $"{(e as ArgumentException)?.ParamName}",
        NameValueCollection names => Describe(names),
        IEnumerable items when IsLookup(value) => string.Join(";", items.Cast<IEnumerable>().Select(
            group => group.GetType().GetProperty("Key")!.GetValue(group) + ":" + string.Join(",", group.Cast<object>()))),
        bool or char or Version or DBNull or System.Net.IPEndPoint or System.Drawing.Color or System.Net.IPAddress => value.ToString(),
        _ => Elements(value),
    };

    /// <summary>The class that a type stands for: the runtime's own classes often are not public.</summary>
    public static Type PublicType(Type type)
    {
        if (type.GetInterface("ILookup`2") is { } lookup)
            return lookup;
        if (type.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false) && type.GetInterface("IReadOnlyList`1") is { } list)
            return typeof(ReadOnlyCollection<>).MakeGenericType(list.GetGenericArguments());
        while (!type.IsVisible && type.BaseType is { } parent && parent != typeof(object)
            && type.Namespace?.StartsWith("System", StringComparison.Ordinal) == true)
            type = parent;
        return type;
    }

    public static bool IsTuple(Type type) => type.FullName?.StartsWith("System.Tuple`", StringComparison.Ordinal) == true;

    private static string? Elements(object value)
    {
        Type type = value.GetType();
        if (type.IsConstructedGenericType && type.GetGenericTypeDefinition() is var definition
            && (definition == typeof(Memory<>) || definition == typeof(ReadOnlyMemory<>)))
            return string.Join(",", ((Array)type.GetMethod("ToArray")!.Invoke(value, null)!).Cast<object>());
        return type.IsConstructedGenericType && type.GetGenericTypeDefinition() == typeof(PriorityQueue<,>)
            ? string.Join(",", ((IEnumerable)type.GetProperty("UnorderedItems")!.GetValue(value)!).Cast<object>())
            : null;
    }

    private static bool IsLookup(object value) => value.GetType().GetInterface("ILookup`2") is not null;

    private static string Describe(NameValueCollection names) =>
        string.Join(";", names.AllKeys.Select(key => $"{key ?? "null"}={string.Join(",", names.GetValues(key) ?? ["null"])}"));

    private static string Describe(Uri uri) =>
        uri.IsAbsoluteUri ? $"{uri.OriginalString} {uri.AbsoluteUri} {uri.PathAndQuery}" : "relative " + uri.OriginalString;
}
