using System;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Checks settings that the framework reads: those it would ignore, and those it would fail on later.</summary>
internal static class FrameworkSettings
{
    private const string Kestrel = "Kestrel";
    private const string Logging = "Logging";
    private const string Levels = "LogLevel";

    private static readonly string[] PartsOfKestrel = ["Endpoints", "EndpointDefaults", "Certificates"];

    /// <summary>Checks them.</summary>
    /// <exception cref="SettingsException">A setting is wrong, or nothing reads it.</exception>
    internal static void Check(IConfiguration configuration)
    {
        foreach (IConfigurationSection part in configuration.GetSection(Kestrel).GetChildren())
        {
            if (!PartsOfKestrel.Contains(part.Key, StringComparer.OrdinalIgnoreCase))
                throw new SettingsException(
                    $"There is no setting '{part.Path}'. Limits are in the section 'Limits', and 'Server:MaxBodyBytes' is one.");
        }
        IConfigurationSection logging = configuration.GetSection(Logging);
        CheckLevels(logging.GetSection(Levels));
        foreach (IConfigurationSection provider in logging.GetChildren().Where(static section => section.Key != Levels))
            CheckLevels(provider.GetSection(Levels));
    }

    private static void CheckLevels(IConfigurationSection levels)
    {
        SettingForms.RequireParts(levels, $"{levels.Path}:Default=Warning");
        foreach (IConfigurationSection level in levels.GetChildren())
            _ = Setting.Choice(levels, level.Key, LogLevel.None, level.Path);
    }
}
