using System;
using System.IO;
using BigPile.Http;
using Microsoft.Extensions.Configuration;
using static BigPile.Server.Hosting.Setting;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Pile:…</c> and <c>Server:…</c>.</summary>
internal sealed record ServerSettings
{
    private const string DefaultDirectory = "./data";

    internal static readonly string[] Known =
    [
        "Pile:Directory", "Pile:SegmentBytes", "Pile:MaxBytes", "Pile:FlushSeconds", "Pile:Warmup", "Pile:WarmupBytesPerSecond", "Pile:Checksums",
        "Server:AllowInsecure", "Server:MaxBodyBytes", "Server:LoadSample", "Server:LogEntryReads", "Server:LogOneIn",
        "Server:DrainSeconds",
    ];

    /// <summary>The pile's directory, as a full path.</summary>
    internal required string Directory { get; init; }

    /// <summary>The size of a segment.</summary>
    internal long SegmentBytes { get; init; }

    /// <summary>The most bytes of all segments.</summary>
    internal long MaxBytes { get; init; }

    /// <summary>How often the pile is flushed by itself, if it is.</summary>
    internal TimeSpan? FlushInterval { get; init; }

    /// <summary>What is read in the background once the pile is open.</summary>
    internal PileWarmup Warmup { get; init; }

    /// <summary>How many bytes the background may read in a second; 0: no limit.</summary>
    internal long WarmupBytesPerSecond { get; init; }

    /// <summary>What is done with checksums.</summary>
    internal PileChecksums Checksums { get; init; }

    /// <summary>The most bytes of a payload that a client may put.</summary>
    internal long MaxBodyBytes { get; init; }

    /// <summary>Whether an empty pile is filled with the sample.</summary>
    internal bool LoadSample { get; init; }

    /// <summary>Whether reads of entries are logged.</summary>
    internal bool LogEntryReads { get; init; }

    /// <summary>Of how many reads of entries one is logged, if they are.</summary>
    internal int LogOneIn { get; init; } = 1;

    /// <summary>How long a stop waits for requests that run.</summary>
    internal TimeSpan Drain { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <exception cref="SettingsException">One is unknown or wrong.</exception>
    internal static ServerSettings Read(IConfiguration configuration)
    {
        RefuseUnknown(configuration.GetSection("Pile"), Known);
        RefuseUnknown(configuration.GetSection("Server"), Known);
        return new ServerSettings
        {
            Directory = Path.GetFullPath(Text(configuration, "Pile:Directory") ?? DefaultDirectory),
            SegmentBytes = Size(configuration, "Pile:SegmentBytes", PileOptions.DefaultSegmentBytes),
            MaxBytes = Size(configuration, "Pile:MaxBytes", long.MaxValue),
            FlushInterval = Text(configuration, "Pile:FlushSeconds") == null ? null : Seconds(configuration, "Pile:FlushSeconds", 0, 1),
            Warmup = Choice(configuration, "Pile:Warmup", PileWarmup.Touch),
            WarmupBytesPerSecond = Size(configuration, "Pile:WarmupBytesPerSecond", 0),
            Checksums = Choice(configuration, "Pile:Checksums", PileChecksums.AtFirstUse),
            MaxBodyBytes = Size(configuration, "Server:MaxBodyBytes", BigPileHttpOptions.DefaultMaxBodyBytes),
            LoadSample = Switch(configuration, "Server:LoadSample", true),
            LogEntryReads = Switch(configuration, "Server:LogEntryReads", false),
            LogOneIn = Count(configuration, "Server:LogOneIn", 1, 1, 1_000_000_000),
            Drain = Seconds(configuration, "Server:DrainSeconds", 60, 0),
        };
    }
}
