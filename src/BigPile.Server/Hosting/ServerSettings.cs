using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using BigPile.AspNetCore;
using Microsoft.Extensions.Configuration;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Pile:…</c> and <c>Server:…</c>.</summary>
internal sealed record ServerSettings
{
    private const string DefaultDirectory = "./data";

    private static readonly string[] Known =
    [
        "Pile:Directory", "Pile:SegmentBytes", "Pile:MaxBytes",
        "Server:AllowInsecure", "Server:MaxBodyBytes", "Server:LoadSample", "Server:LogEntryReads", "Server:DrainSeconds",
    ];

    /// <summary>The pile's directory, as a full path.</summary>
    internal required string Directory { get; init; }

    /// <summary>The size of a segment.</summary>
    internal long SegmentBytes { get; init; }

    /// <summary>The most bytes of all segments.</summary>
    internal long MaxBytes { get; init; }

    /// <summary>The most bytes of a payload that a client may put.</summary>
    internal long MaxBodyBytes { get; init; }

    /// <summary>Whether the server may listen where other machines reach it, although it asks for no keys.</summary>
    internal bool AllowInsecure { get; init; }

    /// <summary>Whether an empty pile is filled with the sample.</summary>
    internal bool LoadSample { get; init; }

    /// <summary>Whether reads of entries are logged.</summary>
    internal bool LogEntryReads { get; init; }

    /// <summary>How long a stop waits for requests that run.</summary>
    internal TimeSpan Drain { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <exception cref="SettingsException">One is unknown or wrong.</exception>
    internal static ServerSettings Read(IConfiguration configuration)
    {
        RefuseUnknown(configuration);
        return new ServerSettings
        {
            Directory = Path.GetFullPath(Text(configuration, "Pile:Directory") ?? DefaultDirectory),
            SegmentBytes = Size(configuration, "Pile:SegmentBytes", PileOptions.DefaultSegmentBytes),
            MaxBytes = Size(configuration, "Pile:MaxBytes", long.MaxValue),
            MaxBodyBytes = Size(configuration, "Server:MaxBodyBytes", BigPileOptions.DefaultMaxBodyBytes),
            AllowInsecure = Switch(configuration, "Server:AllowInsecure", false),
            LoadSample = Switch(configuration, "Server:LoadSample", true),
            LogEntryReads = Switch(configuration, "Server:LogEntryReads", false),
            Drain = Seconds(configuration, "Server:DrainSeconds", 60),
        };
    }

    // A mistyped name would otherwise leave the default in force without a word.
    private static void RefuseUnknown(IConfiguration configuration)
    {
        IEnumerable<IConfigurationSection> given =
            configuration.GetSection("Pile").GetChildren().Concat(configuration.GetSection("Server").GetChildren());
        foreach (IConfigurationSection section in given)
        {
            if (!Known.Contains(section.Path, StringComparer.OrdinalIgnoreCase))
                throw new SettingsException($"There is no setting '{section.Path}'. There are: {string.Join(", ", Known)}.");
        }
    }

    private static string? Text(IConfiguration configuration, string name) =>
        string.IsNullOrWhiteSpace(configuration[name]) ? null : configuration[name];

    private static long Size(IConfiguration configuration, string name, long otherwise)
    {
        if (Text(configuration, name) is not { } text)
            return otherwise;
        return ByteSize.TryParse(text, out long bytes)
            ? bytes
            : throw new SettingsException($"The setting '{name}' is '{text}'; it must be a size such as 1048576, 512m or 64g.");
    }

    private static bool Switch(IConfiguration configuration, string name, bool otherwise)
    {
        if (Text(configuration, name) is not { } text)
            return otherwise;
        return bool.TryParse(text, out bool value)
            ? value
            : throw new SettingsException($"The setting '{name}' is '{text}'; it must be true or false.");
    }

    private static TimeSpan Seconds(IConfiguration configuration, string name, int otherwise)
    {
        if (Text(configuration, name) is not { } text)
            return TimeSpan.FromSeconds(otherwise);
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int seconds) && seconds <= 86_400
            ? TimeSpan.FromSeconds(seconds)
            : throw new SettingsException($"The setting '{name}' is '{text}'; it must be a number of seconds from 0 to 86400.");
    }
}
