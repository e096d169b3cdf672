using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Threading;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore;

/// <summary>How the pile of an application is made, opened and kept.</summary>
/// <remarks>
/// <c>AddBigPile(configuration)</c> reads them from the configuration. It accepts sizes such as <c>8g</c> and refuses unknown options.
/// </remarks>
public sealed class BigPileOptions
{
    /// <summary>The pile's name in metrics; by default the last part of its directory's path, or "pile".</summary>
    public string? Name { get; set; }

    /// <summary>
    /// The directory of a mapped pile, relative to the working directory unless it is a full path; <see langword="null"/>: the pile is in
    /// memory.
    /// </summary>
    public string? Directory { get; set; }

    /// <summary>Whether other processes read the pile by pointer in shared memory; see <see cref="PileOptions.Shared"/>.</summary>
    public bool Shared { get; set; }

    /// <summary>Whether a pile is created in a directory that has none; otherwise the host does not start.</summary>
    public bool CreateDirectory { get; set; } = true;

    /// <summary>
    /// The memory of a pile without a directory; <see cref="StoreKind.Native"/> by default. A pile with a directory is
    /// <see cref="StoreKind.Mapped"/>.
    /// </summary>
    public StoreKind Store { get; set; } = StoreKind.Native;

    /// <inheritdoc cref="PileOptions.SegmentBytes"/>
    public long SegmentBytes { get; set; } = PileOptions.DefaultSegmentBytes;

    /// <summary>
    /// The most bytes of all segments together, at least 1 MiB; <c>long.MaxValue</c>: no limit. By default a pile with a directory
    /// has none, and one in memory has <see cref="MemoryShare"/> of the memory there is.
    /// </summary>
    /// <remarks>In the configuration a percentage, such as <c>70%</c>, sets <see cref="MemoryShare"/> in its place.</remarks>
    public long? MaxBytes { get; set; }

    /// <inheritdoc cref="PileOptions.MemoryShare"/>
    public double? MemoryShare { get; set; }

    /// <summary>
    /// How often a mapped pile is flushed automatically, up to 7 days apart; never by default. Flushed changes survive a power cut.
    /// </summary>
    public TimeSpan? FlushInterval { get; set; }

    /// <summary>
    /// The most bytes of a mapped pile's flush log, from 1 MiB to 1 GiB; 64 MiB by default. A flush that would exceed it writes the
    /// segments instead.
    /// </summary>
    public long FlushLogBytes { get; set; } = PileOptions.DefaultFlushLogBytes;

    /// <summary>What the background reads once a mapped pile is open.</summary>
    public PileWarmup Warmup { get; set; } = PileWarmup.Touch;

    /// <summary>The most bytes a second that the background reads; 0, the default, is no limit.</summary>
    public long WarmupBytesPerSecond { get; set; }

    /// <summary>When the block checksums of a mapped pile are verified. Whether it has them is decided when it is created.</summary>
    public PileChecksums Checksums { get; set; } = PileChecksums.AtFirstUse;

    /// <summary>Whether a pile in memory asks for huge pages: random reads become faster, the first touch of a page slower.</summary>
    public bool HugePages { get; set; } = true;

    /// <summary>The highest <see cref="MaxTables"/>: the most tables that a pile can number, less some for the service itself.</summary>
    public const int LargestMaxTables = ServedTables.LargestMaxTables;

    /// <summary>
    /// Clients can't create a table when there are this many: 1 to 65,000. An empty table takes about 10 KB. The application itself may
    /// create more.
    /// </summary>
    public int MaxTables { get; set; } = 10_000;

    /// <summary>
    /// How long the host's start waits for the pile; 2 seconds by default. A pile that opens in that time is ready for the first request.
    /// One that takes longer goes on opening in the background: until then caches wait, <c>BigPile.Http</c> answers 503, and requests get
    /// no tables.
    /// </summary>
    public TimeSpan StartWait { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long the opening waits for another process to release the directory, up to 7 days; no wait by default. With a wait, a rolling
    /// deployment can start the new instance before the old one has stopped.
    /// </summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>
    /// Whether the opening upgrades a pile of an earlier format. Earlier versions can't open it any more. If not, the start fails.
    /// </summary>
    public bool UpgradeFormat { get; set; } = true;

    /// <summary>What the codec may read and write; see <see cref="PileCodecOptions"/> for the types that are always allowed.</summary>
    public PileCodecOptions CodecOptions { get; set; } = new();

    /// <summary>
    /// A codec to use instead of the pile's own; <see cref="CodecOptions"/> is then ignored. A mapped pile keeps the codec it was created
    /// with.
    /// </summary>
    public IPileCodec? Codec { get; set; }

    /// <summary>
    /// Whether the pile counts as open only when its tables have found all entries. After a restart of the machine without a clean stop,
    /// finding them takes a walk through the pile. Without the wait, tables answer meanwhile and miss everything that was put before the
    /// start, because the walk may not have found an entry's removal or newer value yet; exports leave such entries out. Table settings and
    /// drops by clients then apply only after the walk.
    /// </summary>
    public bool WaitsForTables { get; set; } = true;

    /// <summary>
    /// The directory of a mapped pile's table indexes, if not the pile's own; see <see cref="PileCacheOptions.IndexDirectory"/>.
    /// </summary>
    public string? IndexDirectory { get; set; }

    /// <summary>
    /// The directory to which a table at its limit moves entries, and from which they return when they are read; by default they are
    /// evicted. See <see cref="PileCacheOptions.SpillDirectory"/>.
    /// </summary>
    public string? SpillDirectory { get; set; }

    /// <summary>
    /// Whether tables that give way shrink while the container or the machine is short of memory; they do by default. See
    /// <see cref="PileCacheOptions.MonitorsMemory"/>.
    /// </summary>
    public bool MonitorsMemory { get; set; } = true;

    /// <summary>
    /// How long a caller waits for another caller's factory: above zero and up to 7 days, or infinite; 10 minutes by default. See
    /// <see cref="PileCacheOptions.FactoryPatience"/>.
    /// </summary>
    public TimeSpan FactoryPatience { get; set; } = new PileCacheOptions().FactoryPatience;

    /// <summary>
    /// How many factories run at a time: from 1; any number by default. See <see cref="PileCacheOptions.MaxFactories"/>.
    /// </summary>
    public int? MaxFactories { get; set; }

    /// <summary>
    /// How many refreshes ahead of an expiry run at a time: from 1, 32 by default. See <see cref="PileCacheOptions.MaxRefreshes"/>.
    /// </summary>
    public int MaxRefreshes { get; set; } = new PileCacheOptions().MaxRefreshes;

    /// <summary>Called when the pile is open and before it is served, on the thread that opens it; it may fill tables.</summary>
    public Action<PileCache>? Opened { get; set; }

    /// <summary>The tables to create before anything is served.</summary>
    internal List<TableRegistration> Tables { get; } = [];

    /// <summary>What is wrong with settings of adapters, in sentences for the log.</summary>
    internal List<string> Advice { get; } = [];

    /// <summary>Turns the options into the host's plan.</summary>
    internal PilePlan ToPlan(TimeProvider time, ILogger<Pile> logger, IMeterFactory? meters, CancellationToken stop) => new(new PileOptions
    {
        Name = Name,
        MeterFactory = meters,
        Directory = Directory,
        Shared = Shared,
        OpenTimeout = OpenTimeout,
        UpgradeFormat = UpgradeFormat,
        OpenStop = stop,
        CreateDirectory = CreateDirectory,
        Store = Store,
        SegmentBytes = SegmentBytes,
        MaxBytes = MaxBytes,
        MemoryShare = MemoryShare,
        CodecOptions = CodecOptions,
        Codec = Codec,
        FlushInterval = FlushInterval,
        FlushLogBytes = FlushLogBytes,
        Warmup = Warmup,
        WarmupBytesPerSecond = WarmupBytesPerSecond,
        Checksums = Checksums,
        HugePages = HugePages,
        TimeProvider = time,
        Logger = logger,
    })
    {
        WaitsForTables = WaitsForTables,
        IndexDirectory = IndexDirectory,
        SpillDirectory = SpillDirectory,
        MonitorsMemory = MonitorsMemory,
        FactoryPatience = FactoryPatience,
        MaxFactories = MaxFactories,
        MaxRefreshes = MaxRefreshes,
        StartWait = StartWait,
        Opened = Opened,
        Tables = Tables,
        Advice = Advice,
        MaxTables = MaxTables,
    };
}
