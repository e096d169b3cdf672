using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.AspNetCore;
using BigPile.Http.Security;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Security:…</c>: authentication and access.</summary>
internal sealed record SecuritySettings
{
    internal static readonly string[] Known =
        ["Security:Keys", "Security:AdminUrl", "Security:AllowWithoutKeys", "Security:AllowWithoutTls", "Security:Hosts",
            "Security:Origins", "Security:KeysPath", "Security:ReloadSeconds"];

    /// <summary>The properties of a key that are lists.</summary>
    internal static readonly string[] ListsOfKey = ["Scopes", "Tables"];

    private static readonly string[] KnownOfKey = ["Name", "Hash", "Scopes", "Tables", "RequestsPerSecond", "Burst", "MaxTables"];

    /// <summary>The API keys; empty: requests need no key.</summary>
    internal required IReadOnlyList<BigPileKey> Keys { get; init; }

    /// <summary>How often the keys are reloaded; zero: never.</summary>
    internal TimeSpan ReloadPeriod { get; init; }

    /// <summary>The only address for administration; <see langword="null"/>: all addresses.</summary>
    internal string? AdminUrl { get; init; }

    /// <summary>Whether other machines may reach the server although it needs no keys.</summary>
    internal bool AllowWithoutKeys { get; init; }

    /// <summary>Whether other machines may reach the server without TLS.</summary>
    internal bool AllowWithoutTls { get; init; }

    /// <summary>Host names that are served without keys, besides loopback; <see langword="null"/>: not set.</summary>
    internal IReadOnlyList<string>? Hosts { get; init; }

    /// <summary>Origins whose pages may call the server, besides its own: with a key, or without one if there are no keys.</summary>
    internal required IReadOnlyList<string> Origins { get; init; }

    /// <summary>The CORS setup for these origins; <see langword="null"/>: none.</summary>
    internal CorsSetup? Cors => Origins.Count == 0 ? null : new CorsSetup(Origins);

    /// <summary>
    /// The rules for requests without keys; <see langword="null"/>: there are keys, which pages of other origins don't have.
    /// </summary>
    /// <remarks>In a network declared closed (AllowWithoutKeys), any host name is accepted: only its owner knows the names.</remarks>
    internal ClientRules? Clients =>
        Keys.Count != 0 ? null : new ClientRules(Hosts ?? (AllowWithoutKeys ? [ClientRules.Any] : []), Origins);

    /// <exception cref="SettingsException">A setting is unknown or wrong.</exception>
    internal static SecuritySettings Read(IConfiguration configuration)
    {
        Setting.RefuseUnknown(configuration.GetSection("Security"), Known);
        // The setting's name in versions without keys.
        bool allowsAll = Setting.Switch(configuration, "Server:AllowInsecure", false);
        return new SecuritySettings
        {
            Keys = ReadKeys(configuration),
            ReloadPeriod = Setting.Seconds(configuration, "Security:ReloadSeconds", 60, 0),
            Hosts = Setting.List(configuration, "Security:Hosts")?.Select(ClientNames.HostOf).ToArray(),
            Origins = [.. (Setting.List(configuration, "Security:Origins") ?? []).Select(ClientNames.OriginOf)],
            AdminUrl = Setting.Text(configuration, "Security:AdminUrl"),
            AllowWithoutKeys = allowsAll || Setting.Switch(configuration, "Security:AllowWithoutKeys", false),
            AllowWithoutTls = allowsAll || Setting.Switch(configuration, "Security:AllowWithoutTls", false),
        };
    }

    /// <summary>Reads the keys.</summary>
    /// <exception cref="SettingsException">One of them is wrong.</exception>
    internal static BigPileKey[] ReadKeys(IConfiguration configuration) =>
        [.. configuration.GetSection("Security:Keys").GetChildren().Select(section => ReadKey(configuration, section))];

    /// <summary>Parses scopes such as <c>read,write</c>.</summary>
    /// <returns><see langword="false"/> if a word is no scope.</returns>
    internal static bool TryParseScopes(IEnumerable<string> words, out KeyScopes scopes)
    {
        scopes = KeyScopes.None;
        foreach (string word in words.SelectMany(
            static words => words.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)))
        {
            KeyScopes scope = word.ToLowerInvariant() switch
            {
                "read" => KeyScopes.Read,
                "write" => KeyScopes.Write,
                "admin" => KeyScopes.Admin,
                _ => KeyScopes.None,
            };
            if (scope == KeyScopes.None)
                return false;
            scopes |= scope;
        }
        return true;
    }

    private static BigPileKey ReadKey(IConfiguration configuration, IConfigurationSection section)
    {
        Setting.RefuseUnknown(section, [.. KnownOfKey.Select(name => $"{section.Path}:{name}")]);
        if (!TryParseScopes(Setting.List(section, "Scopes") ?? [], out KeyScopes scopes))
            throw new SettingsException($"The setting '{section.Path}:Scopes' has a word that is none of read, write and admin.");
        var key = new BigPileKey
        {
            Name = section["Name"] ?? "",
            Hash = section["Hash"] ?? "",
            Scopes = scopes,
            Tables = section.GetChildren().Any(static part => part.Key.Equals("Tables", StringComparison.OrdinalIgnoreCase))
                ? Setting.List(section, "Tables") ?? [] // an empty list is a mistake and must not mean all
                : [TablePattern.All],
            MaxTables = Setting.Count(configuration, section.Path + ":MaxTables", 1_000, 0, BigPileOptions.LargestMaxTables),
            RequestsPerSecond = Setting.Rate(configuration, section.Path + ":RequestsPerSecond"),
            Burst = Setting.Text(section, "Burst") == null
                ? null
                : Setting.Count(configuration, section.Path + ":Burst", 1, 1, RequestRate.HighestBurst),
        };
        try
        {
            key.Validate();
            return key;
        }
        catch (ArgumentException e)
        {
            throw new SettingsException($"The setting '{section.Path}' is wrong. {e.Message}");
        }
    }
}
