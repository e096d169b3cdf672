using System;
using System.IO;
using System.Numerics;
using BigPile.Http;
using Microsoft.Extensions.Configuration;
using static BigPile.Server.Hosting.Setting;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Pile:…</c> and <c>Server:…</c>.</summary>
internal sealed record ServerSettings
{
    private const string DefaultDirectory = "./data";

    /// <summary>The least and the most bytes of a segment, which has a power of two of them, and the least bytes of a pile.</summary>
    internal const long MinSegmentBytes = 4L << 20;
    internal const long MaxSegmentBytes = 1L << 30;
    internal const long MinPileBytes = 1L << 20;

    internal static readonly string[] Known =
    [
        "Pile:Directory", "Pile:SegmentBytes", "Pile:MaxBytes", "Pile:FlushSeconds", "Pile:Warmup", "Pile:WarmupBytesPerSecond",
            "Pile:Checksums",
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
            Directory = ReadDirectory(configuration),
            SegmentBytes = ReadSegmentBytes(configuration),
            MaxBytes = ReadMaxBytes(configuration),
            FlushInterval = Text(configuration, "Pile:FlushSeconds") == null ? null : Seconds(configuration, "Pile:FlushSeconds", 0, 1),
            Warmup = Choice(configuration, "Pile:Warmup", PileWarmup.Touch),
            WarmupBytesPerSecond = Size(configuration, "Pile:WarmupBytesPerSecond", 0),
            Checksums = Choice(configuration, "Pile:Checksums", PileChecksums.AtFirstUse),
            MaxBodyBytes = Size(
                configuration, "Server:MaxBodyBytes", (int)BigPileHttpOptions.DefaultMaxBodyBytes, 1,
                (int)BigPileHttpOptions.LargestMaxBodyBytes),
            LoadSample = Switch(configuration, "Server:LoadSample", true),
            LogEntryReads = Switch(configuration, "Server:LogEntryReads", false),
            LogOneIn = Count(configuration, "Server:LogOneIn", 1, 1, 1_000_000_000),
            Drain = Seconds(configuration, "Server:DrainSeconds", 60, 0),
        };
    }

    // Blank is not left out here: the default would be another place than the one that somebody meant.
    private static string ReadDirectory(IConfiguration configuration)
    {
        string directory = configuration["Pile:Directory"] ?? DefaultDirectory;
        return string.IsNullOrWhiteSpace(directory) || directory.Contains('\0', StringComparison.Ordinal)
            ? throw new SettingsException(
                $"The setting 'Pile:Directory' is '{directory.Replace('\0', '?')}'; it must name a directory, such as {DefaultDirectory}.")
            : Path.GetFullPath(directory);
    }

    private static long ReadSegmentBytes(IConfiguration configuration)
    {
        long bytes = Size(configuration, "Pile:SegmentBytes", PileOptions.DefaultSegmentBytes);
        return bytes is >= MinSegmentBytes and <= MaxSegmentBytes && BitOperations.IsPow2(bytes)
            ? bytes
            : throw new SettingsException(
                $"The setting 'Pile:SegmentBytes' is '{configuration["Pile:SegmentBytes"]}'; it must be a power of two from 4m to 1g.");
    }

    private static long ReadMaxBytes(IConfiguration configuration)
    {
        long bytes = Size(configuration, "Pile:MaxBytes", long.MaxValue);
        return bytes >= MinPileBytes
            ? bytes
            : throw new SettingsException($"The setting 'Pile:MaxBytes' is '{configuration["Pile:MaxBytes"]}'; it must be at least 1m.");
    }
}
