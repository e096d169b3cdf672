using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Globalization;
using System.Linq;
using System.Reflection;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace BigPile.AspNetCore.Configuration;

/// <summary>Binds options from the configuration, and refuses keys that the framework's binder would ignore.</summary>
/// <remarks>
/// Every option of type <see cref="long"/> is a size, as <see cref="ByteSize"/> reads it. <see cref="BigPileOptions.MaxBytes"/> may be a
/// percentage as well, which is <see cref="BigPileOptions.MemoryShare"/>.
/// </remarks>
internal static class ConfiguredOptions
{
    private static readonly CultureInfo Invariant = CultureInfo.InvariantCulture;

    /// <summary>Sets the options that a section names.</summary>
    /// <exception cref="OptionsValidationException">The section has keys that are no options; the exception names them all.</exception>
    /// <exception cref="InvalidOperationException">A value can't be converted to its option's type.</exception>
    internal static void Bind<T>(IConfiguration configuration, T options)
        where T : class
    {
        if (configuration is IConfigurationSection { Path: var section } && !configuration.GetChildren().Any())
            throw new OptionsValidationException(
                Options.DefaultName, typeof(T),
                [$"The configuration has no section '{section}' with options. Add one, or leave the section out of the call."]);
        if (typeof(T).GetProperties().Length == 0)
            throw new InvalidOperationException(
                "The program was trimmed, and so lacks the options that BigPile finds by reflection: publish it without <PublishTrimmed>, "
                + "or with <TrimMode>partial</TrimMode>.");
        var values = new Dictionary<string, string?>();
        string[] failures = [.. Read(configuration, typeof(T), values)];
        if (failures.Length != 0)
            throw new OptionsValidationException(Options.DefaultName, typeof(T), failures);
        IConfiguration read = new ConfigurationBuilder().AddInMemoryCollection(values).Build();
        (configuration is IConfigurationSection { Path: var path } ? read.GetSection(path) : read).Bind(options);
    }

    private static IEnumerable<string> Read(IConfiguration parts, Type type, Dictionary<string, string?> values)
    {
        Dictionary<string, PropertyInfo> known = type.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(static option => option.SetMethod is { IsPublic: true } && (IsValue(option) || option.PropertyType.IsClass))
            .Where(static option => !typeof(Delegate).IsAssignableFrom(option.PropertyType))
            .ToDictionary(static option => option.Name, StringComparer.OrdinalIgnoreCase);
        return parts.GetChildren().SelectMany(given => known.TryGetValue(given.Key, out PropertyInfo? option)
            ? ReadOne(parts, given, option, values)
            : [Unknown(given, known.Values)]);
    }

    private static IEnumerable<string> ReadOne(
        IConfiguration parts, IConfigurationSection given, PropertyInfo option, Dictionary<string, string?> values)
    {
        bool isBlank = string.IsNullOrWhiteSpace(given.Value);
        if (!IsValue(option))
        {
            return isBlank
                ? Read(given, option.PropertyType, values)
                : [$"'{given.Path}' is one value; it has parts, such as {given.Path}:{option.PropertyType.GetProperties()[0].Name}."];
        }
        if (given.GetChildren().FirstOrDefault() is { } part)
            return [$"'{given.Path}' has the part '{part.Path}'; it must be one value."];
        if (isBlank && option.PropertyType != typeof(string))
            return []; // an environment variable that is set to nothing
        string? value = given.Value;
        Type type = Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType;
        bool isLimit = option.DeclaringType == typeof(BigPileOptions) && option.Name == nameof(BigPileOptions.MaxBytes);
        if (isLimit && ByteSize.TryParseShare(value!, out double share))
            return ReadShare(parts, given, share, values);
        if (type == typeof(long))
        {
            if (!ByteSize.TryParse(value!, out long bytes))
                return [$"'{given.Path}' is '{value}'; it must {(isLimit ? ByteSize.LimitForm : ByteSize.Form)}."];
            value = $"{bytes}";
        }
        if (type == typeof(double) && !double.TryParse(value, NumberStyles.Float, Invariant, out _))
            return [$"'{given.Path}' is '{value}'; it must be a number such as 0.7."];
        if (type == typeof(TimeSpan) && !(value!.Contains(':', StringComparison.Ordinal) && TimeSpan.TryParse(value, Invariant, out _)))
            return [$"'{given.Path}' is '{value}'; it must be a time such as 00:00:05, or 1.00:00:00 for a day."];
        values.Add(given.Path, value);
        return [];
    }

    // A limit in percent is another option, which must not be there twice, and means nothing to a pile in files.
    private static IEnumerable<string> ReadShare(
        IConfiguration parts, IConfigurationSection given, double share, Dictionary<string, string?> values)
    {
        string place = given.Path[..^given.Key.Length];
        string found = $"'{given.Path}' is '{given.Value}'";
        if (!string.IsNullOrWhiteSpace(parts[nameof(BigPileOptions.MemoryShare)]))
            return [$"{found}, and '{place}{nameof(BigPileOptions.MemoryShare)}' says the same thing; leave one out."];
        bool isShared = bool.TryParse(parts[nameof(BigPileOptions.Shared)], out bool shared) && shared;
        if (!isShared && !string.IsNullOrWhiteSpace(parts[nameof(BigPileOptions.Directory)]))
        {
            return [$"{found}, and '{place}{nameof(BigPileOptions.Directory)}' puts the pile in files, which no part of the memory limits; "
                + "give a size such as 64g, or leave it out for no limit."];
        }
        values.Add(place + nameof(BigPileOptions.MemoryShare), share.ToString(Invariant));
        return [];
    }

    private static bool IsValue(PropertyInfo option) => TypeDescriptor.GetConverter(option.PropertyType).CanConvertFrom(typeof(string));

    private static string Unknown(IConfigurationSection given, IEnumerable<PropertyInfo> known)
    {
        string[] names = [.. known.Select(static option => option.Name).Order(StringComparer.Ordinal)];
        string place = given.Path[..^given.Key.Length];
        return $"There is no option '{given.Path}'. "
            + NearestName.Hint(given.Key, names, $"There are: {string.Join(", ", names)}.", place);
    }
}
