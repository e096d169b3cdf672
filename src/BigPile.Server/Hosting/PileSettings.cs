using System;
using System.IO;
using System.Numerics;
using BigPile.AspNetCore;
using BigPile.AspNetCore.Configuration;
using Microsoft.Extensions.Configuration;
using static BigPile.Server.Hosting.Setting;

namespace BigPile.Server.Hosting;

/// <summary>The settings <c>Pile:…</c>.</summary>
internal sealed record PileSettings
{
    private const string DefaultDirectory = "./data";
    private const int MaxFlushSeconds = 7 * 86_400;
    private const int MaxOpenSeconds = 7 * 86_400;

    /// <summary>The limits of a segment's size, a power of two, and the least limit of a pile, in bytes.</summary>
    internal const long MinSegmentBytes = 4L << 20;
    internal const long MaxSegmentBytes = 1L << 30;
    internal const long MinPileBytes = 1L << 20;

    /// <summary>The limits of the flush log's size in bytes.</summary>
    internal const int MinFlushLogBytes = 1 << 20;
    internal const int MaxFlushLogBytes = 1 << 30;

    /// <summary>The longest time between two flushes.</summary>
    internal static readonly TimeSpan MaxFlushInterval = TimeSpan.FromSeconds(MaxFlushSeconds);

    internal static readonly string[] Known =
    [
        "Pile:Name", "Pile:Store", "Pile:Directory", "Pile:Shared", "Pile:CreateDirectory", "Pile:SegmentBytes", "Pile:MaxBytes",
        "Pile:HugePages", "Pile:MonitorsMemory", "Pile:FlushSeconds", "Pile:FlushLogBytes", "Pile:Warmup", "Pile:WarmupBytesPerSecond",
        "Pile:Checksums", "Pile:IndexDirectory", "Pile:SpillDirectory", "Pile:OpenSeconds", "Pile:UpgradeFormat",
    ];

    /// <summary>The pile's name in metrics; <see langword="null"/>: the default.</summary>
    internal string? Name { get; init; }

    /// <summary>The pile's store: files, or memory of the process.</summary>
    internal StoreKind Store { get; init; }

    /// <summary>The full path of a mapped pile's directory; of a shared pile it may be a bare name, kept as given.</summary>
    internal required string Directory { get; init; }

    /// <summary>Whether other processes read the pile in shared memory.</summary>
    internal bool Shared { get; init; }

    /// <summary>The directory of the tables' indexes; <see langword="null"/>: with the pile.</summary>
    internal string? IndexDirectory { get; init; }

    /// <summary>The directory to which tables at their limits move entries; <see langword="null"/>: they are evicted.</summary>
    internal string? SpillDirectory { get; init; }

    /// <summary>Whether a pile is created in a directory that has none.</summary>
    internal bool CreateDirectory { get; init; }

    /// <summary>The size of a segment.</summary>
    internal long SegmentBytes { get; init; }

    /// <summary>The most bytes of all segments; <see langword="null"/>: no limit in files, and in memory by what there is.</summary>
    internal long? MaxBytes { get; init; }

    /// <summary>The part of the memory that is the limit of a pile that is not in files.</summary>
    internal double? MemoryShare { get; init; }

    /// <summary>Whether a pile in memory asks for huge pages.</summary>
    internal bool HugePages { get; init; }

    /// <summary>Whether tables that give way shrink while memory is short.</summary>
    internal bool MonitorsMemory { get; init; }

    /// <summary>How often the pile is flushed automatically; <see langword="null"/>: never.</summary>
    internal TimeSpan? FlushInterval { get; init; }

    /// <summary>How long the opening waits for another process to release the directory.</summary>
    internal TimeSpan OpenTimeout { get; init; }

    /// <summary>Whether the opening upgrades a pile of an earlier format.</summary>
    internal bool UpgradeFormat { get; init; }

    /// <summary>The most bytes of the flush log.</summary>
    internal long FlushLogBytes { get; init; }

    /// <summary>What the background reads once the pile is open.</summary>
    internal PileWarmup Warmup { get; init; }

    /// <summary>The most bytes a second that the background reads; 0: no limit.</summary>
    internal long WarmupBytesPerSecond { get; init; }

    /// <summary>When checksums are verified.</summary>
    internal PileChecksums Checksums { get; init; }

    /// <summary>Reads the settings.</summary>
    /// <exception cref="SettingsException">One is unknown or wrong.</exception>
    internal static PileSettings Read(IConfiguration configuration)
    {
        RefuseUnknown(configuration.GetSection("Pile"), Known);
        bool isShared = ReadShared(configuration);
        StoreKind store = Choice(configuration, "Pile:Store", StoreKind.Mapped);
        (long? maxBytes, double? memoryShare) = ReadLimit(configuration, isInFiles: store == StoreKind.Mapped && !isShared);
        return new PileSettings
        {
            Shared = isShared,
            Name = Text(configuration, "Pile:Name"),
            Store = store,
            Directory = ReadDirectory(configuration, isShared),
            IndexDirectory = Text(configuration, "Pile:IndexDirectory") is { } indexes ? Path.GetFullPath(indexes) : null,
            SpillDirectory = Text(configuration, "Pile:SpillDirectory") is { } spill ? Path.GetFullPath(spill) : null,
            CreateDirectory = Switch(configuration, "Pile:CreateDirectory", true),
            SegmentBytes = ReadSegmentBytes(configuration),
            MaxBytes = maxBytes,
            MemoryShare = memoryShare,
            HugePages = Switch(configuration, "Pile:HugePages", true),
            MonitorsMemory = Switch(configuration, "Pile:MonitorsMemory", true),
            FlushInterval = Text(configuration, "Pile:FlushSeconds") == null
                ? null
                : Seconds(configuration, "Pile:FlushSeconds", 0, 1, MaxFlushSeconds),
            UpgradeFormat = Switch(configuration, "Pile:UpgradeFormat", true),
            OpenTimeout = Seconds(configuration, "Pile:OpenSeconds", 0, 0, MaxOpenSeconds),
            FlushLogBytes = Size(
                configuration, "Pile:FlushLogBytes", (int)PileOptions.DefaultFlushLogBytes, MinFlushLogBytes, MaxFlushLogBytes),
            Warmup = Choice(configuration, "Pile:Warmup", PileWarmup.Touch),
            WarmupBytesPerSecond = Size(configuration, "Pile:WarmupBytesPerSecond", 0),
            Checksums = Choice(configuration, "Pile:Checksums", PileChecksums.AtFirstUse),
        };
    }

    /// <summary>Applies the settings to a host's options.</summary>
    internal void ApplyTo(BigPileOptions pile)
    {
        pile.Name = Name;
        pile.Store = Store;
        pile.Directory = Store == StoreKind.Mapped ? Directory : null;
        pile.Shared = Shared && Store == StoreKind.Mapped;
        pile.IndexDirectory = Store == StoreKind.Mapped ? IndexDirectory : null;
        pile.SpillDirectory = SpillDirectory;
        pile.CreateDirectory = CreateDirectory;
        pile.SegmentBytes = SegmentBytes;
        pile.MaxBytes = MaxBytes;
        pile.MemoryShare = MemoryShare;
        pile.HugePages = HugePages;
        pile.MonitorsMemory = MonitorsMemory;
        pile.FlushInterval = FlushInterval;
        pile.OpenTimeout = OpenTimeout;
        pile.UpgradeFormat = UpgradeFormat;
        pile.FlushLogBytes = FlushLogBytes;
        pile.Warmup = Warmup;
        pile.WarmupBytesPerSecond = WarmupBytesPerSecond;
        pile.Checksums = Checksums;
    }

    private static bool ReadShared(IConfiguration configuration)
    {
        if (!Switch(configuration, "Pile:Shared", false))
            return false;
        if (Text(configuration, "Pile:FlushSeconds") is { } flushes)
            throw SettingsException.Of("Pile:FlushSeconds", flushes, "be left out with Pile:Shared: such a pile is not flushed");
        if (Choice(configuration, "Pile:Store", StoreKind.Mapped) is var store && store != StoreKind.Mapped)
            throw SettingsException.Of("Pile:Store", store.ToString(), "be Mapped with Pile:Shared");
        return true;
    }

    // A blank value does not mean the default here: it would be another directory than the one intended.
    private static string ReadDirectory(IConfiguration configuration, bool isShared)
    {
        string directory = configuration["Pile:Directory"] ?? DefaultDirectory;
        if (string.IsNullOrWhiteSpace(directory) || directory.Contains('\0', StringComparison.Ordinal))
            throw SettingsException.Of("Pile:Directory", directory.Replace('\0', '?'), $"name a directory, such as {DefaultDirectory}");
        bool isName = isShared && !directory.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal);
        return isName ? directory : Path.GetFullPath(directory);
    }

    private static long ReadSegmentBytes(IConfiguration configuration)
    {
        long bytes = Size(configuration, "Pile:SegmentBytes", PileOptions.DefaultSegmentBytes);
        return bytes is >= MinSegmentBytes and <= MaxSegmentBytes && BitOperations.IsPow2(bytes)
            ? bytes
            : throw SettingsException.Of("Pile:SegmentBytes", configuration["Pile:SegmentBytes"], "be a power of two from 4m to 1g");
    }

    private static (long? MaxBytes, double? MemoryShare) ReadLimit(IConfiguration configuration, bool isInFiles)
    {
        const string name = "Pile:MaxBytes";
        if (Text(configuration, name) is not { } text)
            return (null, null);
        if (ByteSize.TryParseShare(text, out double share))
        {
            return !isInFiles ? (null, share) : throw SettingsException.Of(
                name, text, "be a size such as 64g, or be left out: no part of the memory limits a pile in files");
        }
        if (!ByteSize.TryParse(text, out long bytes))
            throw SettingsException.Of(name, text, ByteSize.LimitForm);
        return bytes >= MinPileBytes ? (bytes, null) : throw SettingsException.Of(name, text, "be at least 1m");
    }
}
