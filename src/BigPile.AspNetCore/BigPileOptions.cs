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
/// From the configuration they are read by <c>AddBigPile(configuration)</c>, which takes sizes such as <c>8g</c>, and refuses what is no
/// option.
/// </remarks>
public sealed class BigPileOptions
{
    /// <summary>What the pile is called in metrics; the last part of its directory's path, or "pile", by default.</summary>
    public string? Name { get; set; }

    /// <summary>
    /// The directory of a mapped pile, from the working directory where it is no full path; <see langword="null"/> for a pile in memory.
    /// </summary>
    /// <remarks>The first object takes a whole segment of the disk there: see <see cref="SegmentBytes"/>.</remarks>
    public string? Directory { get; set; }

    /// <summary>Whether other processes read the pile by pointer, in shared memory; see <see cref="PileOptions.Shared"/>.</summary>
    public bool Shared { get; set; }

    /// <summary>Whether a directory without a pile gets one; otherwise the host does not start with it.</summary>
    public bool CreateDirectory { get; set; } = true;

    /// <summary>
    /// In which memory a pile without a directory is; <see cref="StoreKind.Native"/> by default. A directory makes it
    /// <see cref="StoreKind.Mapped"/>.
    /// </summary>
    public StoreKind Store { get; set; } = StoreKind.Native;

    /// <inheritdoc cref="PileOptions.SegmentBytes"/>
    public long SegmentBytes { get; set; } = PileOptions.DefaultSegmentBytes;

    /// <summary>The most bytes that all segments may take together; none by default.</summary>
    public long MaxBytes { get; set; } = long.MaxValue;

    /// <summary>
    /// How often a mapped pile is flushed by itself, up to 7 days apart; never by default. What was flushed survives a power cut.
    /// </summary>
    public TimeSpan? FlushInterval { get; set; }

    /// <summary>
    /// The most bytes that the flush log of a mapped pile may take before a flush writes the segments instead: from 1 MiB to 1 GiB; 64 MiB
    /// by default.
    /// </summary>
    public long FlushLogBytes { get; set; } = PileOptions.DefaultFlushLogBytes;

    /// <summary>What is read in the background once a mapped pile is open.</summary>
    public PileWarmup Warmup { get; set; } = PileWarmup.Touch;

    /// <summary>How many bytes the background may read in a second; 0, the default, is no limit.</summary>
    public long WarmupBytesPerSecond { get; set; }

    /// <summary>What is done with the checksums of a mapped pile's blocks. Whether it has them is decided when it is made.</summary>
    public PileChecksums Checksums { get; set; } = PileChecksums.AtFirstUse;

    /// <summary>
    /// Whether the segments of a pile in memory ask for huge pages: random reads gain, the first touch of a page takes longer.
    /// </summary>
    public bool HugePages { get; set; } = true;

    /// <summary>The highest <see cref="MaxTables"/>: what a pile can tell apart, and some for the service itself.</summary>
    public const int LargestMaxTables = ServedTables.LargestMaxTables;

    /// <summary>
    /// The most tables that there are before clients can't make another one; from 1 to 65,000. A table that holds nothing takes some 10 KB.
    /// The application itself may make more.
    /// </summary>
    public int MaxTables { get; set; } = 10_000;

    /// <summary>
    /// How long the host's start waits for the pile, 2 seconds by default. A pile that is open by then is ready with the first request; one
    /// that takes longer opens behind: meanwhile caches wait, <c>BigPile.Http</c> answers 503, and tables are refused to requests.
    /// </summary>
    public TimeSpan StartWait { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>
    /// How long the opening waits for another process to let go of the directory, up to 7 days: with it a rolling deployment may start the
    /// new instance before the old one has stopped. Not at all by default.
    /// </summary>
    public TimeSpan OpenTimeout { get; set; }

    /// <summary>
    /// Whether a pile of an earlier format becomes one of the present format, which earlier versions can't open any more; otherwise the
    /// start fails.
    /// </summary>
    public bool UpgradeFormat { get; set; } = true;

    /// <summary>What the codec may read and write; see there which types it takes without being told.</summary>
    public PileCodecOptions CodecOptions { get; set; } = new();

    /// <summary>
    /// A codec to use instead of the pile's own; <see cref="CodecOptions"/> does not count then. A mapped pile keeps the codec it was made
    /// with.
    /// </summary>
    public IPileCodec? Codec { get; set; }

    /// <summary>
    /// Whether the pile counts as open only when its tables know every entry again. After another start of the machine, and no clean stop
    /// before it, that takes a walk through the pile; without the wait tables answer meanwhile, and miss all that was put before: a
    /// removal or a newer value of it may not have been found yet. So an export leaves it out. How clients had tables behave, and which
    /// they had dropped, then holds from the end of the walk on.
    /// </summary>
    public bool WaitsForTables { get; set; } = true;

    /// <summary>
    /// Where the indexes of a mapped pile's tables are kept, if not with the pile; see <see cref="PileCacheOptions.IndexDirectory"/>.
    /// </summary>
    public string? IndexDirectory { get; set; }

    /// <summary>
    /// Where the entries go that leave the memory of a table at its limit, to come back when they are asked for; by default they are
    /// evicted. See <see cref="PileCacheOptions.SpillDirectory"/>.
    /// </summary>
    public string? SpillDirectory { get; set; }

    /// <summary>
    /// How long a caller waits for the factory of another one: above zero and up to 7 days, 10 minutes by default, or infinite. See
    /// <see cref="PileCacheOptions.FactoryPatience"/>.
    /// </summary>
    public TimeSpan FactoryPatience { get; set; } = PileCacheOptions.DefaultFactoryTimeout;

    /// <summary>Called when the pile is open and before it is served, on a thread of the pool; it may fill tables.</summary>
    public Action<PileCache>? Opened { get; set; }

    /// <summary>The tables that are there before anything is served.</summary>
    internal List<TableRegistration> Tables { get; } = [];

    /// <summary>What the host makes of the options.</summary>
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
        FactoryPatience = FactoryPatience,
        StartWait = StartWait,
        Opened = Opened,
        Tables = Tables,
        MaxTables = MaxTables,
    };
}
