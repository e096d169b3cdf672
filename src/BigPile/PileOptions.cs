using System;
using System.Diagnostics.Metrics;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Limits;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>The options of a pile.</summary>
public sealed record PileOptions
{
    /// <summary>The default of <see cref="SegmentBytes"/>: 256 MiB.</summary>
    public const long DefaultSegmentBytes = 256L << 20;

    /// <summary>The default of <see cref="FlushLogBytes"/>: 64 MiB.</summary>
    public const long DefaultFlushLogBytes = 64L << 20;

    /// <summary>The least of <see cref="SegmentBytes"/>: 4 MiB.</summary>
    public const long MinSegmentBytes = SegmentHead.MinSegmentBytes;

    /// <summary>The most of <see cref="SegmentBytes"/>: 1 GiB.</summary>
    public const long MaxSegmentBytes = SegmentHead.MaxSegmentBytes;

    /// <summary>The least of <see cref="MaxBytes"/>: 1 MiB.</summary>
    public const long MinLimitBytes = 1L << 20;

    /// <summary>The default of <see cref="MemoryShare"/>: 70 %.</summary>
    public const double DefaultMemoryShare = 0.7;

    /// <summary>The least of <see cref="FlushLogBytes"/>: 1 MiB.</summary>
    public const long MinFlushLogBytes = 1L << 20;

    /// <summary>The most of <see cref="FlushLogBytes"/>: 1 GiB.</summary>
    public const long MaxFlushLogBytes = 1L << 30;

    private const string ParameterName = "options"; // the parameter of the constructor that validates them

    /// <summary>The most of <see cref="FlushInterval"/>: 7 days.</summary>
    public static readonly TimeSpan MaxFlushInterval = TimeSpan.FromDays(7);

    /// <summary>The most of <see cref="OpenTimeout"/>: 7 days.</summary>
    public static readonly TimeSpan MaxOpenTimeout = TimeSpan.FromDays(7);

    /// <summary>The pile's name in metrics; by default the last part of its directory's path, or "pile".</summary>
    public string? Name { get; init; }

    /// <summary>
    /// Creates the meter <c>BigPile</c> of the application, for the pile and its tables. Without it they report to a meter of the process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; init; }

    /// <summary>
    /// Where the segments are; <see cref="StoreKind.Native"/> by default. A directory makes it <see cref="StoreKind.Mapped"/>.
    /// </summary>
    public StoreKind Store { get; init; } = StoreKind.Native;

    /// <summary>The directory of a mapped pile, created if it is missing; or the name of a shared one: see <see cref="Shared"/>.</summary>
    public string? Directory { get; init; }

    /// <summary>The size of a segment: a power of two from 4 MiB to 1 GiB. A mapped pile keeps the size that it was created with.</summary>
    /// <remarks>
    /// A pile takes whole segments of address space. Of memory and of the disk it takes what it uses; except for managed arrays, and on
    /// systems other than Linux the disk space of a segment is taken at once.
    /// </remarks>
    public long SegmentBytes { get; init; } = DefaultSegmentBytes;

    /// <summary>
    /// The most bytes that all segments may take together, at least 1 MiB; <c>long.MaxValue</c>: no limit. By default a mapped pile
    /// has none, and a pile in managed, native or shared memory has a part of the memory there is: see <see cref="MemoryShare"/>.
    /// </summary>
    /// <remarks>
    /// Never exceeded; a pile that holds more when it is opened has that as its limit. <see cref="PileStatistics.LimitBytes"/> has the
    /// limit, and a line of the log at the opening says where it comes from. Near the limit a put may be refused though some memory is
    /// free: a page of 64 KiB serves one slot size while an object is in it, and a large object needs consecutive pages.
    /// </remarks>
    public long? MaxBytes { get; init; }

    /// <summary>
    /// The part of the memory there is that a pile in managed, native or shared memory may take: above 0 and at most 1; 0.7 by default.
    /// Not beside <see cref="MaxBytes"/>, nor for a mapped pile, which no part of the memory limits.
    /// </summary>
    /// <remarks>
    /// The memory there is: the least of the machine's memory, the limits of the process's control groups on Linux, and for
    /// <see cref="StoreKind.Managed"/> the limit of the managed heap. A pile outside of the managed heap takes at most what the heap leaves
    /// of it: of a limit that was set for the heap all, otherwise what it has taken. Each pile of a process counts for itself: give several
    /// ones a smaller part each.
    /// </remarks>
    public double? MemoryShare { get; init; }

    /// <summary>Whether a pile is created in a directory without one; otherwise opening it fails.</summary>
    public bool CreateDirectory { get; init; } = true;

    /// <summary>
    /// How long an opening waits for another process to close a mapped pile, up to 7 days: the old instance of a service that is being
    /// replaced. Does not wait by default.
    /// </summary>
    public TimeSpan OpenTimeout { get; init; }

    /// <summary>Cancels the wait of <see cref="OpenTimeout"/>; the opening throws <see cref="OperationCanceledException"/> then.</summary>
    public CancellationToken OpenStop { get; init; }

    /// <summary>
    /// Whether a mapped pile of an earlier format is converted to the current one at its first opening for writing: earlier versions can't
    /// open it any more. Otherwise opening it for writing fails.
    /// </summary>
    public bool UpgradeFormat { get; init; } = true;

    /// <summary>Whether a mapped pile is opened for reading only, which is possible while another process writes it.</summary>
    public bool ReadOnly { get; init; }

    /// <summary>
    /// Whether the pile is in memory that processes of one user share: one writes it, others read it by pointer, with
    /// <see cref="ReadOnly"/>.
    /// </summary>
    /// <remarks>
    /// <para>
    /// <see cref="Directory"/> is then a name of letters, digits, '-', '_' and '.', for a pile below <c>/dev/shm</c>; or, with a separator
    /// in it, the path of a directory that is closed to other users. All memory is really allocated, and what doesn't fit is a
    /// <see cref="PileFullException"/>. In a container <c>/dev/shm</c> may be small: choose smaller segments, or a directory.
    /// </para>
    /// <para>
    /// The pile outlives its processes, even if they are killed, but not the machine: nothing is written through to a device, so
    /// <see cref="Pile.Flush"/> has nothing to do, and after a restart of the machine an opening refuses what is left. It stays until
    /// <see cref="SharedPile.TryRemove"/>. Only on Linux, in 64-bit processes.
    /// </para>
    /// </remarks>
    public bool Shared { get; init; }

    /// <summary>
    /// How the checksums of a mapped pile's blocks are used. Whether blocks have them is decided when the pile is created; a shared pile
    /// has them only with <see cref="PileChecksums.AtEveryRead"/>, as there is no device between its writer and its readers.
    /// </summary>
    public PileChecksums Checksums { get; init; } = PileChecksums.AtFirstUse;

    /// <summary>What the background reads once a mapped pile is open.</summary>
    public PileWarmup Warmup { get; init; } = PileWarmup.Touch;

    /// <summary>How many bytes per second the background may read; 0, the default, is no limit.</summary>
    public long WarmupBytesPerSecond { get; init; }

    /// <summary>The interval at which a mapped pile flushes itself, up to 7 days; never by default.</summary>
    public TimeSpan? FlushInterval { get; init; }

    /// <summary>
    /// The most bytes of a mapped pile's flush log; a flush that needs more writes the segments instead. 64 MiB by default.
    /// </summary>
    public long FlushLogBytes { get; init; } = DefaultFlushLogBytes;

    /// <summary>
    /// The clock behind <see cref="FlushInterval"/>, <see cref="WarmupBytesPerSecond"/> and the report of refused puts. It must not wait
    /// for anything, such as a lock.
    /// </summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether native segments ask for huge pages: random reads are faster, the first touch of a page is slower.</summary>
    public bool HugePages { get; init; } = true;

    /// <summary>Which types may be stored; see <see cref="PileCodecOptions"/>.</summary>
    public PileCodecOptions CodecOptions { get; init; } = new();

    /// <summary>A codec to use instead of the pile's own.</summary>
    public IPileCodec? Codec { get; init; }

    /// <summary>The pile's name in metrics, given or by default.</summary>
    internal string NameInMetrics => Name ?? (Directory is { } path
        ? Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)))
        : "pile");

    /// <summary>Creates segments instead of <see cref="Store"/>; tests make a store fail by it.</summary>
    internal SegmentStore? CustomStore { get; init; }

    /// <summary>The memory there is, instead of what the system tells; tests make small machines by it.</summary>
    internal MemoryLimit? Memory { get; init; }

    /// <summary>The machine's boot id instead of the real one; tests simulate power cuts by it.</summary>
    internal Guid? BootId { get; init; }

    /// <summary>Called with each file before it is written through; tests make a device fail by it.</summary>
    internal Action<string>? Syncing { get; init; }

    /// <summary>Called with each file after it was written through; tests know by it what survives a power cut.</summary>
    internal Action<string>? Synced { get; init; }

    /// <summary>Called before each file operation in the directory; tests make operations fail by it.</summary>
    internal IFileHook? FileHook { get; init; }

    /// <summary>Whether no file operation is left to the background: the hook of a test sees one after the other.</summary>
    internal bool IsInTurn => FileHook != null;

    /// <summary>How long a reader waits for a writer in another process that makes no progress.</summary>
    internal TimeSpan WriterTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The same options for the pile in a directory.</summary>
    internal PileOptions For(string directory) => this with { Store = StoreKind.Mapped, Directory = directory };

    /// <summary>Where the pile logs; nowhere by default.</summary>
    public ILogger? Logger { get; init; }

    /// <summary>Throws if an option is out of its range.</summary>
    /// <exception cref="ArgumentException">An option is out of its range; the message names it and its range.</exception>
    internal void Validate()
    {
        if (!BitOperations.IsPow2(SegmentBytes) || SegmentBytes < MinSegmentBytes || SegmentBytes > MaxSegmentBytes)
        {
            throw new ArgumentException(
                $"PileOptions.SegmentBytes is {SegmentBytes:N0}; it must be a power of two from {MinSegmentBytes:N0} to "
                + $"{MaxSegmentBytes:N0}.",
                ParameterName);
        }
        if (MaxBytes < MinLimitBytes)
        {
            throw new ArgumentException(
                $"PileOptions.MaxBytes is {MaxBytes:N0}; it must be at least {MinLimitBytes:N0}.", ParameterName);
        }
        ValidateMemoryShare();
        if (Directory == null && (Store == StoreKind.Mapped || ReadOnly))
            throw new ArgumentException(
                "A mapped pile, or one that is opened for reading only, needs PileOptions.Directory.", ParameterName);
        if (Shared && (string.IsNullOrEmpty(Directory) || FlushInterval != null))
            throw new ArgumentException(
                "With PileOptions.Shared there must be a name in PileOptions.Directory, and no FlushInterval: such a pile is not flushed.",
                ParameterName);
        if (FlushLogBytes < MinFlushLogBytes || FlushLogBytes > MaxFlushLogBytes)
        {
            throw new ArgumentException(
                $"PileOptions.FlushLogBytes is {FlushLogBytes:N0}; it must be from {MinFlushLogBytes:N0} to {MaxFlushLogBytes:N0}.",
                ParameterName);
        }
        if (FlushInterval <= TimeSpan.Zero || FlushInterval > MaxFlushInterval)
            throw new ArgumentException($"PileOptions.FlushInterval is {FlushInterval}; it must be more than nothing and at most "
                + $"{MaxFlushInterval}.", ParameterName);
        if (OpenTimeout < TimeSpan.Zero || OpenTimeout > MaxOpenTimeout)
            throw new ArgumentException(
                $"PileOptions.OpenTimeout is {OpenTimeout}; it must not be negative, and at most {MaxOpenTimeout}.", ParameterName);
        if (WarmupBytesPerSecond < 0)
            throw new ArgumentException(
                $"PileOptions.WarmupBytesPerSecond is {WarmupBytesPerSecond:N0}; it must not be negative.", ParameterName);
        ArgumentNullException.ThrowIfNull(TimeProvider);
        ArgumentNullException.ThrowIfNull(CodecOptions);
    }

    private void ValidateMemoryShare()
    {
        if (MemoryShare is null)
            return;
        if (MemoryShare is not (> 0 and <= 1))
            throw new ArgumentException($"PileOptions.MemoryShare is {MemoryShare}; it must be above 0 and at most 1.", ParameterName);
        if (MaxBytes != null)
            throw new ArgumentException(
                $"PileOptions.MaxBytes is {MaxBytes:N0}, and PileOptions.MemoryShare is {MemoryShare}; a pile has one limit: leave one of "
                + "them out.", ParameterName);
        if (Directory != null && !Shared)
            throw new ArgumentException(
                $"PileOptions.MemoryShare is {MemoryShare}, and PileOptions.Directory puts the pile in files, which no part of the memory "
                + "limits; set PileOptions.MaxBytes, or leave both out for no limit.", ParameterName);
    }
}
