using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Http.Protocol;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>
/// Refuses settings of the wrong shape: a value instead of a list or section, or the reverse. The configuration would silently ignore them,
/// and with the keys all access control.
/// </summary>
internal static class SettingForms
{
    private const string Keys = "Security:Keys";
    private const string Endpoints = "Kestrel:Endpoints";
    private const int MaxQuotedCharacters = 4; // it may be a secret

    /// <summary>Checks the settings that the service reads.</summary>
    /// <exception cref="SettingsException">A setting has the wrong shape.</exception>
    internal static void Check(IConfigurationRoot configuration)
    {
        foreach (string name in KnownSettings.Names.Except(KnownSettings.Lists).Where(static name => name != Keys))
            RequireValue(configuration.GetSection(name));
        foreach (string name in KnownSettings.Lists.Where(static name => name != Keys))
            RequireItems(configuration.GetSection(name));
        CheckKeys(configuration);
        CheckEndpoints(configuration.GetSection(Endpoints));
    }

    /// <summary>Refuses a section that is a single value.</summary>
    /// <exception cref="SettingsException">The section is a value.</exception>
    internal static void RequireParts(IConfigurationSection section, string example, string form = "have parts")
    {
        if (!string.IsNullOrWhiteSpace(section.Value))
            throw SettingsException.Of(section.Path, ShortText.Of(section.Value, MaxQuotedCharacters), $"{form}, such as {example}");
    }

    /// <summary>Checks the shape of the keys, and that all come from one source.</summary>
    /// <exception cref="SettingsException">A key has the wrong shape, or would be merged from two sources.</exception>
    internal static void CheckKeys(IConfigurationRoot configuration)
    {
        IConfigurationSection keys = configuration.GetSection(Keys);
        IConfigurationProvider[] places = [.. configuration.Providers.Where(static place => ValuesIn(place, Keys).Any())];
        if (places.FirstOrDefault(place => !ValuesIn(place, Keys).SequenceEqual(ValuesIn(places[0], Keys))) is { } other)
        {
            throw new SettingsException(
                $"There are '{Keys}' both in {places[0]} and in {other}, and one would be taken for a part of the other; leave them in one "
                + "place.");
        }
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

    private static IEnumerable<string> ValuesIn(IConfigurationProvider place, string path)
    {
        if (place.TryGet(path, out string? value) && value != null)
            yield return $"{path}={value}";
        foreach (string part in place.GetChildKeys([], path).Distinct(StringComparer.OrdinalIgnoreCase))
        {
            foreach (string found in ValuesIn(place, $"{path}:{part}"))
                yield return found;
        }
    }

    // A single text with commas is allowed too.
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
