using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Text;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using BigPile.AspNetCore;
using BigPile.Caching;
using BigPile.Http;

namespace BigPile.Server.Tests.Observation;

/// <summary>Writes the page that lists options and instruments, of what the libraries say of themselves.</summary>
internal static partial class ReferencePage
{
    private static readonly Type[] Options =
    [
        typeof(BigPileOptions), typeof(PileHybridCacheOptions), typeof(TableOptions), typeof(EntryOptions), typeof(ChangeOptions),
        typeof(PileCacheOptions), typeof(PileOptions), typeof(PileCodecOptions), typeof(BigPileHttpOptions),
        typeof(BigPileFastReadsOptions),
    ];

    private static readonly Type[] Telemetry =
        [typeof(PileTelemetry), typeof(CacheTelemetry), typeof(BigPileTelemetry), typeof(HttpTelemetry)];

    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(long)] = "long", [typeof(int)] = "int", [typeof(double)] = "double", [typeof(bool)] = "bool", [typeof(string)] = "string",
    };

    private static readonly Dictionary<string, XElement> Documented = ReadDocuments();

    /// <summary>The types whose names say that they are options, and that the page does not list.</summary>
    internal static IEnumerable<Type> Unlisted => Options.Select(static type => type.Assembly).Distinct()
        .SelectMany(static assembly => assembly.GetExportedTypes())
        .Where(static type => type.Name.EndsWith("Options", StringComparison.Ordinal)).Except(Options);

    /// <summary>The names of instruments, activities and tags, which are constants.</summary>
    internal static IEnumerable<(FieldInfo Field, string Name)> Names =>
        from type in Telemetry
        from name in type.GetFields()
        select (name, (string)name.GetRawConstantValue()!);

    internal static string Write(IEnumerable<ListedInstrument> instruments)
    {
        var text = new StringBuilder();
        text.Append("# Reference\n\nWritten of what the libraries say of themselves. A test fails when it is not true.\n\n## Metrics\n");
        foreach (IGrouping<string, ListedInstrument> meter in instruments.GroupBy(static one => one.Meter).OrderBy(static one => one.Key))
        {
            text.Append(CultureInfo.InvariantCulture, $"\nThe meter `{meter.Key}`:\n\n");
            text.Append("| instrument | kind | unit | tags | |\n| --- | --- | --- | --- | --- |\n");
            foreach (ListedInstrument one in meter.OrderBy(static one => $"{one.Name} {one.Tags}", StringComparer.Ordinal))
                text.Append(CultureInfo.InvariantCulture, $"| `{one.Name}` | {one.Kind} | {one.Unit} | {one.Tags} | {one.Description} |\n");
        }
        text.Append(CultureInfo.InvariantCulture, $"\n## Traces\n\nThe source `{PileTelemetry.ActivitySourceName}`:\n\n");
        text.Append("| activity | |\n| --- | --- |\n");
        IEnumerable<(FieldInfo Field, string Name)> activities =
            Names.Where(static one => one.Field.Name.EndsWith("Activity", StringComparison.Ordinal));
        foreach ((FieldInfo field, string name) in activities.OrderBy(static one => one.Name, StringComparer.Ordinal))
            text.Append(CultureInfo.InvariantCulture, $"| `{name}` | {SummaryOf($"F:{field.DeclaringType!.FullName}.{field.Name}")} |\n");
        text.Append("\n## Options\n");
        foreach (Type type in Options)
            AppendOptions(text, type);
        return text.ToString();
    }

    private static void AppendOptions(StringBuilder text, Type type)
    {
        text.Append(CultureInfo.InvariantCulture, $"\n### {type.Name}\n\n{SummaryOf("T:" + type.FullName)}\n\n");
        text.Append("| option | type | default | |\n| --- | --- | --- | --- |\n");
        object initial = type == typeof(TableOptions) ? new TableOptions("name") : Activator.CreateInstance(type)!;
        foreach (PropertyInfo option in type.GetProperties())
        {
            string value = initial is TableOptions && option.Name == nameof(TableOptions.Name) ? "" : ValueOf(option.GetValue(initial));
            text.Append(CultureInfo.InvariantCulture, $"| `{option.Name}` | `{NameOf(option.PropertyType)}` | {value} | ");
            text.Append(CultureInfo.InvariantCulture, $"{SummaryOf($"P:{type.FullName}.{option.Name}")} |\n");
        }
    }

    private static string ValueOf(object? value) => value switch
    {
        null => "",
        long.MaxValue => "no limit",
        bool flag => flag ? "`true`" : "`false`",
        TimeSpan time => $"`{time.ToString("c", CultureInfo.InvariantCulture)}`",
        Enum or string => $"`{value}`",
        long or int => ((IFormattable)value).ToString("N0", CultureInfo.InvariantCulture),
        double number => number.ToString(CultureInfo.InvariantCulture),
        TimeProvider => "the system's",
        _ => value.GetType().Name.EndsWith("Options", StringComparison.Ordinal) ? "its defaults" : "",
    };

    private static string NameOf(Type type)
    {
        if (Nullable.GetUnderlyingType(type) is { } inner)
            return NameOf(inner) + "?";
        if (!type.IsGenericType)
            return Keywords.GetValueOrDefault(type, type.Name);
        return $"{type.Name.Split('`')[0]}<{string.Join(", ", type.GetGenericArguments().Select(NameOf))}>";
    }

    private static string SummaryOf(string id)
    {
        if (!Documented.TryGetValue(id, out XElement? member))
            return "";
        if (member.Element("inheritdoc") is { } other)
            return SummaryOf((string)other.Attribute("cref")!);
        string text = string.Concat(member.Element("summary")!.Nodes().Select(TextOf));
        return Spaces().Replace(text, " ").Trim().Replace("|", "\\|", StringComparison.Ordinal);
    }

    private static string TextOf(XNode node) => node switch
    {
        XText text => text.Value,
        XElement { Name.LocalName: "see" } see => see.Attribute("langword") is { } word
            ? $"`{word.Value}`"
            : $"`{((string)see.Attribute("cref")!).Split('(')[0].Split('.')[^1].Split('`')[0]}`",
        XElement { Name.LocalName: "c" } code => $"`{code.Value}`",
        XElement other => other.Value,
        _ => "",
    };

    private static Dictionary<string, XElement> ReadDocuments() => Options.Select(static type => type.Assembly).Distinct()
        .SelectMany(static assembly => XDocument.Load(Path.ChangeExtension(assembly.Location, ".xml")).Descendants("member"))
        .ToDictionary(static member => (string)member.Attribute("name")!);

    [GeneratedRegex(@"\s+")]
    private static partial Regex Spaces();
}

/// <summary>An instrument as the page has it.</summary>
internal sealed record ListedInstrument(string Meter, string Name, string Kind, string? Unit, string Tags, string? Description);
