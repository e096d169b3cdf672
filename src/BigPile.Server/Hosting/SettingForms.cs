using System;
using System.Linq;
using BigPile.Http.Protocol;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>
/// Refuses settings of a form that nobody reads: one value where a list or parts are meant, parts where one value is. They would be ignored
/// without a word, and with the keys all that they keep out.
/// </summary>
internal static class SettingForms
{
    private const string Keys = "Security:Keys";
    private const string Endpoints = "Kestrel:Endpoints";
    private const int MaxShownCharacters = 4; // it may be a secret

    /// <summary>Looks at the settings that the service reads.</summary>
    /// <exception cref="SettingsException">One has the wrong form.</exception>
    internal static void Check(IConfiguration configuration)
    {
        foreach (string name in KnownSettings.Names.Except(KnownSettings.Lists).Where(static name => name != Keys))
            RequireValue(configuration.GetSection(name));
        foreach (string name in KnownSettings.Lists.Where(static name => name != Keys))
            RequireItems(configuration.GetSection(name));
        CheckKeys(configuration.GetSection(Keys));
        CheckEndpoints(configuration.GetSection(Endpoints));
    }

    /// <summary>Refuses a section that is one value.</summary>
    /// <exception cref="SettingsException">It is.</exception>
    internal static void RequireParts(IConfigurationSection section, string example, string form = "have parts")
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
            throw SettingsException.Of(section.Path, ShortText.Of(section.Value, MaxShownCharacters), $"{form}, such as {example}");
    }

    private static void CheckKeys(IConfigurationSection keys)
    {
        RequireParts(keys, $"{Keys}:0:Name=shop with {Keys}:0:Hash=… and {Keys}:0:Scopes=read (the verb 'key' makes them)", "be a list");
        foreach (IConfigurationSection key in keys.GetChildren())
        {
            RequireParts(key, $"{key.Path}:Name=shop with {key.Path}:Hash=… and {key.Path}:Scopes=read");
            foreach (IConfigurationSection part in key.GetChildren())
            {
                if (SecuritySettings.ListsOfKey.Contains(part.Key, StringComparer.OrdinalIgnoreCase))
                    RequireItems(part);
                else
                    RequireValue(part);
            }
        }
    }

    private static void CheckEndpoints(IConfigurationSection endpoints)
    {
        RequireParts(endpoints, $"{Endpoints}:Main:Url=http://127.0.0.1:5080");
        foreach (IConfigurationSection endpoint in endpoints.GetChildren())
            RequireParts(endpoint, $"{endpoint.Path}:Url=http://127.0.0.1:5080");
    }

    // One text with commas will do too.
    private static void RequireItems(IConfigurationSection list)
    {
        foreach (IConfigurationSection item in list.GetChildren())
            RequireValue(item);
    }

    private static void RequireValue(IConfigurationSection section)
    {
        if (section.GetChildren().FirstOrDefault() is { } part)
            throw new SettingsException(
                $"The setting '{section.Path}' has the part '{part.Path}'; it must be one value, such as --{section.Path}=….");
    }
}
