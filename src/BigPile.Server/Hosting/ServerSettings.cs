using System;
using BigPile.Http;
using Microsoft.Extensions.Configuration;
using static BigPile.Server.Hosting.Setting;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Pile:…</c> and <c>Server:…</c>.</summary>
internal sealed record ServerSettings
{
    internal static readonly string[] Known =
    [
        "Server:AllowInsecure", "Server:MaxBodyBytes", "Server:LoadSample", "Server:LogEntryReads", "Server:LogOneIn", "Server:LogFormat",
        "Server:DrainSeconds",
    ];

    /// <summary>The pile's settings.</summary>
    internal required PileSettings Pile { get; init; }

    /// <summary>The most bytes of a payload.</summary>
    internal long MaxBodyBytes { get; init; }

    /// <summary>Whether the sample is loaded into an empty pile.</summary>
    internal bool LoadSample { get; init; }

    /// <summary>Whether reads of entries are logged.</summary>
    internal bool LogEntryReads { get; init; }

    /// <summary>Logs one read in this many, if reads are logged.</summary>
    internal int LogOneIn { get; init; } = 1;

    /// <summary>How long a stop waits for running requests.</summary>
    internal TimeSpan Drain { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <exception cref="SettingsException">One is unknown or wrong.</exception>
    internal static ServerSettings Read(IConfiguration configuration)
    {
        RefuseUnknown(configuration.GetSection("Server"), Known);
        return new ServerSettings
        {
            Pile = PileSettings.Read(configuration),
            MaxBodyBytes = Size(
                configuration, "Server:MaxBodyBytes", (int)BigPileHttpOptions.DefaultMaxBodyBytes, 1,
                (int)BigPileHttpOptions.LargestMaxBodyBytes),
            LoadSample = Switch(configuration, "Server:LoadSample", true),
            LogEntryReads = Switch(configuration, "Server:LogEntryReads", false),
            LogOneIn = Count(configuration, "Server:LogOneIn", 1, 1, 1_000_000_000),
            Drain = Seconds(configuration, "Server:DrainSeconds", 60, 0),
        };
    }
}
