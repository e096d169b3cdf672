using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.AspNetCore.Configuration;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>Reads single settings. A missing or blank setting has its default; a wrong one is an error that names it.</summary>
internal static class Setting
{
    /// <summary>Refuses unknown settings: otherwise a mistyped name would silently leave the default in force.</summary>
    /// <exception cref="SettingsException">The section has a setting that is not known.</exception>
    internal static void RefuseUnknown(IConfiguration section, IReadOnlyCollection<string> known)
    {
        foreach (IConfigurationSection given in section.GetChildren())
        {
            if (!known.Contains(given.Path, StringComparer.OrdinalIgnoreCase))
                throw KnownSettings.Unknown(given.Path);
        }
    }

    internal static string? Text(IConfiguration configuration, string name) =>
        string.IsNullOrWhiteSpace(configuration[name]) ? null : configuration[name];

    /// <summary>A list, either with an index per item or as one text with commas, which is handier in environment variables.</summary>
    /// <returns><see langword="null"/> if it is not set.</returns>
    internal static string[]? List(IConfiguration configuration, string name)
    {
        IConfigurationSection list = configuration.GetSection(name);
        if (!list.Exists())
            return null;
        IEnumerable<string> items = list.Value is { } text ? [text] : list.GetChildren().Select(static item => item.Value ?? "");
        return [.. items.SelectMany(
            static item => item.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))];
    }

    internal static long Size(IConfiguration configuration, string name, long otherwise)
    {
        if (Text(configuration, name) is not { } text)
            return otherwise;
        return ByteSize.TryParse(text, out long bytes)
            ? bytes
            : throw SettingsException.Of(name, text, ByteSize.Form);
    }

    internal static int Size(IConfiguration configuration, string name, int otherwise, int least, int most)
    {
        long bytes = Size(configuration, name, otherwise);
        return bytes >= least && bytes <= most
            ? (int)bytes
            : throw SettingsException.Of(name, configuration[name], $"be from {least:N0} to {most:N0} bytes");
    }

    internal static bool Switch(IConfiguration configuration, string name, bool otherwise)
    {
        if (Text(configuration, name) is not { } text)
            return otherwise;
        return bool.TryParse(text, out bool value)
            ? value
            : throw SettingsException.Of(name, text, "be true or false");
    }

    /// <summary>An enumeration value by its name, ignoring case.</summary>
    /// <param name="configuration">The configuration.</param>
    /// <param name="name">The setting's name in it.</param>
    /// <param name="otherwise">The default.</param>
    /// <param name="path">The full name for messages; <paramref name="name"/> when left out.</param>
    internal static T Choice<T>(IConfiguration configuration, string name, T otherwise, string? path = null)
        where T : struct, Enum
    {
        if (Text(configuration, name) is not { } text)
            return otherwise;
        foreach (T value in Enum.GetValues<T>())
        {
            if (string.Equals(value.ToString(), text, StringComparison.OrdinalIgnoreCase))
                return value;
        }
        throw SettingsException.Of(path ?? name, text, $"be one of {string.Join(", ", Enum.GetNames<T>())}");
    }

    internal static int Count(IConfiguration configuration, string name, int otherwise, int least, int most)
    {
        if (Text(configuration, name) is not { } text)
            return otherwise;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) && count >= least && count <= most
            ? count
            : throw SettingsException.Of(name, text, $"be a whole number from {least:N0} to {most:N0}");
    }

    internal static double? Rate(IConfiguration configuration, string name)
    {
        if (Text(configuration, name) is not { } text)
            return null;
        return double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double rate)
            ? rate
            : throw SettingsException.Of(name, text, "be a number such as 100 or 0.5");
    }

    internal static TimeSpan Seconds(IConfiguration configuration, string name, int otherwise, int least, int most = 86_400)
    {
        if (Text(configuration, name) is not { } text)
            return TimeSpan.FromSeconds(otherwise);
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) && seconds >= least && seconds <= most
            ? TimeSpan.FromSeconds(seconds)
            : throw SettingsException.Of(name, text, $"be a number of seconds from {least} to {most}");
    }
}
