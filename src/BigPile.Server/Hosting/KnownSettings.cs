using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.AspNetCore.Configuration;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The names of all settings, and the error for an unknown one.</summary>
internal static class KnownSettings
{
    // Sections that the framework and the logger read, with anything below.
    private static readonly string[] FrameworkSections = ["Kestrel", "Serilog", "Logging", "AllowedHosts"];

    private static readonly string[] FrameworkNames =
        ["urls", "http_ports", "https_ports", "environment", "applicationName", "AllowedHosts"];

    // Below these names come an index and further names, which their readers check.
    internal static readonly string[] Lists =
        ["Security:Keys", "Security:Hosts", "Security:Origins", "Metrics:Meters", "Http:IgnoredHeaders"];

    /// <summary>The service's own settings.</summary>
    private static IReadOnlyList<string> Own { get; } =
    [
        .. PileSettings.Known, .. ServerSettings.Known, .. HttpSettings.Known, .. SecuritySettings.Known, .. LimitSettings.Known,
        .. MetricSettings.Known, .. OtlpSettings.Known, .. TlsSettings.Known,
    ];

    /// <summary>All named settings, including the framework's.</summary>
    internal static IEnumerable<string> Names => Own.Concat(FrameworkNames);

    /// <summary>Refuses command-line arguments that are not settings with a value.</summary>
    /// <exception cref="SettingsException">An argument is no setting, an unknown setting, or has no value.</exception>
    internal static void CheckArguments(IReadOnlyList<string> args)
    {
        for (int i = 0; i < args.Count; i++)
        {
            if (!args[i].StartsWith("--", StringComparison.Ordinal) || args[i].Length == 2)
                throw new SettingsException(
                    $"'{args[i]}' is no setting. One is written --Name=value, such as --urls=http://127.0.0.1:5080.");
            int equals = args[i].IndexOf('=', StringComparison.Ordinal);
            string name = equals < 0 ? args[i][2..] : args[i][2..equals];
            if (!IsKnown(name))
                throw Unknown(name);
            if (equals >= 0)
                continue;
            if (++i == args.Count || args[i].StartsWith("--", StringComparison.Ordinal))
                throw new SettingsException($"The setting '{name}' has no value. Write --{name}=value.");
        }
    }

    /// <summary>Refuses a settings file with a section that nothing reads.</summary>
    /// <exception cref="SettingsException">There is one.</exception>
    internal static void CheckSections(IConfiguration file)
    {
        foreach (IConfigurationSection section in file.GetChildren())
        {
            bool isKnown = Own.Any(name => name.StartsWith(section.Key + ":", StringComparison.OrdinalIgnoreCase))
                || FrameworkSections.Concat(FrameworkNames).Contains(section.Key, StringComparer.OrdinalIgnoreCase);
            if (!isKnown)
                throw Unknown(section.Key, Own.Select(static name => name[..name.IndexOf(':', StringComparison.Ordinal)]).Distinct());
            if (Own.FirstOrDefault(name => name.StartsWith(section.Key + ":", StringComparison.OrdinalIgnoreCase)) is { } example)
                SettingForms.RequireParts(section, example);
        }
    }

    /// <summary>The error for an unknown setting.</summary>
    internal static SettingsException Unknown(string name) => Unknown(name, Names);

    private static SettingsException Unknown(string name, IEnumerable<string> known)
    {
        string hint = NearestName.Hint(name, known, "The option --help lists them.");
        return new SettingsException($"There is no setting '{name}'. {hint}");
    }

    private static bool IsKnown(string name) =>
        Names.Contains(name, StringComparer.OrdinalIgnoreCase)
        || Lists.Concat(FrameworkSections).Any(list => name.StartsWith(list + ":", StringComparison.OrdinalIgnoreCase));
}
