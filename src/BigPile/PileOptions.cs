using System;
using System.Diagnostics.Metrics;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>How a pile is made.</summary>
public sealed record PileOptions
{
    /// <summary>The default of <see cref="SegmentBytes"/>: 256 MiB.</summary>
    public const long DefaultSegmentBytes = 256L << 20;

    /// <summary>The default of <see cref="FlushLogBytes"/>: 64 MiB.</summary>
    public const long DefaultFlushLogBytes = 64L << 20;

    internal const long MinSegmentBytes = SegmentHead.MinSegmentBytes;
    internal const long MaxSegmentBytes = SegmentHead.MaxSegmentBytes;
    internal const long MinLimitBytes = 1L << 20;

    internal static readonly TimeSpan MaxFlushInterval = TimeSpan.FromDays(7);
    internal static readonly TimeSpan MaxOpenTimeout = TimeSpan.FromDays(7);

    private const string ParameterName = "options"; // of the constructor that is given them
    internal const long MinFlushLogBytes = 1L << 20;
    internal const long MaxFlushLogBytes = 1L << 30;

    /// <summary>What the pile is called in metrics; the last part of its directory's path, or "pile", by default.</summary>
    public string? Name { get; init; }

    /// <summary>
    /// Makes the meter <c>BigPile</c> of the application that the pile and its tables belong to; without one they are on a meter of the
    /// process.
    /// </summary>
    public IMeterFactory? MeterFactory { get; init; }

    /// <summary>
    /// Where the segments are; <see cref="StoreKind.Native"/> by default. A directory makes it <see cref="StoreKind.Mapped"/>.
    /// </summary>
    public StoreKind Store { get; init; } = StoreKind.Native;

    /// <summary>The directory of a mapped pile, made if it is missing; or the name of a shared one: see <see cref="Shared"/>.</summary>
    /// <remarks>The first object takes a whole segment of the disk there: see <see cref="SegmentBytes"/>.</remarks>
    public string? Directory { get; init; }

    /// <summary>The size of a segment: a power of two from 4 MiB to 1 GiB. A mapped pile keeps the size that it was made with.</summary>
    /// <remarks>A pile takes whole segments, a mapped one on disk, so this is also the least that a pile with one object takes.</remarks>
    public long SegmentBytes { get; init; } = DefaultSegmentBytes;

    /// <summary>The most bytes that all segments may take together; none by default. At least 1 MiB.</summary>
    /// <remarks>
    /// Never exceeded. Near it a put may be refused though a little is free: a page of 64 KiB serves one size of slots while an object is
    /// in it, and a large object needs pages in a row.
    /// </remarks>
    public long MaxBytes { get; init; } = long.MaxValue;

    /// <summary>Whether a directory without a pile gets one; otherwise opening it fails.</summary>
    public bool CreateDirectory { get; init; } = true;

    /// <summary>
    /// How long an opening waits for another process to let go of a mapped pile, up to 7 days: the old instance of a service that is being
    /// replaced. Not at all by default.
    /// </summary>
    public TimeSpan OpenTimeout { get; init; }

    /// <summary>
    /// Whether a mapped pile of an earlier format becomes one of the present format at its first opening for writing: earlier versions
    /// can't open it any more. Otherwise opening it for writing fails.
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
    /// <see cref="Directory"/> is a name then, of letters, digits, '-', '_' and '.', for a pile below <c>/dev/shm</c>; or, with a
    /// separator in it, the path of a directory that is closed to other users. It is all really allocated, and what doesn't fit is a
    /// <see cref="PileFullException"/>. In a container <c>/dev/shm</c> may be small: choose smaller segments, or a directory.
    /// </para>
    /// <para>
    /// It outlives its processes, also when they are killed, and not the machine: nothing is written through to a device, so
    /// <see cref="Pile.Flush"/> has nothing to do, and after a new start of the machine what is left is refused. It stays until
    /// <see cref="SharedPile.TryRemove"/>. Only on Linux, in processes of 64 bits.
    /// </para>
    /// </remarks>
    public bool Shared { get; init; }

    /// <summary>
    /// What is done with the checksums of a mapped pile's blocks. Whether it has them is decided when it is made; a shared one has them
    /// only with <see cref="PileChecksums.AtEveryRead"/>, as there is no device between its writer and its readers.
    /// </summary>
    public PileChecksums Checksums { get; init; } = PileChecksums.AtFirstUse;

    /// <summary>What is read in the background once a mapped pile is open.</summary>
    public PileWarmup Warmup { get; init; } = PileWarmup.Touch;

    /// <summary>How many bytes the background may read in a second; 0, the default, is no limit.</summary>
    public long WarmupBytesPerSecond { get; init; }

    /// <summary>How often a mapped pile is flushed by itself, up to 7 days apart; never by default.</summary>
    public TimeSpan? FlushInterval { get; init; }

    /// <summary>
    /// The most bytes that the flush log of a mapped pile may take before a flush writes the segments instead; 64 MiB by default.
    /// </summary>
    public long FlushLogBytes { get; init; } = DefaultFlushLogBytes;

    /// <summary>The clock behind <see cref="FlushInterval"/> and <see cref="WarmupBytesPerSecond"/>.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Whether native segments ask for huge pages: random reads gain, the first touch of a page takes longer.</summary>
    public bool HugePages { get; init; } = true;

    /// <summary>What the application's types may be; see <see cref="PileCodecOptions"/>.</summary>
    public PileCodecOptions CodecOptions { get; init; } = new();

    /// <summary>A codec to use instead of the pile's own.</summary>
    public IPileCodec? Codec { get; init; }

    /// <summary>What the pile is called, whether it was given a name or not.</summary>
    internal string NameInMetrics => Name ?? (Directory is { } path
        ? Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(path)))
        : "pile");

    /// <summary>Makes segments in the place of <see cref="Store"/>; how tests let a store fail.</summary>
    internal SegmentStore? CustomStore { get; init; }

    /// <summary>The machine's start to go by instead of the real one; how tests cut the power.</summary>
    internal Guid? BootId { get; init; }

    /// <summary>Told of each file that is about to be written through; how tests let a device fail.</summary>
    internal Action<string>? Syncing { get; init; }

    /// <summary>Told of each file that was written through to the device; how tests know what a power cut leaves.</summary>
    internal Action<string>? Synced { get; init; }

    /// <summary>Stands between the pile and its directory; how tests let each file operation fail.</summary>
    internal IFileHook? FileHook { get; init; }

    /// <summary>Ends the wait of <see cref="OpenTimeout"/>.</summary>
    internal CancellationToken OpenStop { get; init; }

    /// <summary>How long a reader waits for a writer in another process that does not go on.</summary>
    internal TimeSpan WriterTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>The same options, for the pile in a directory.</summary>
    internal PileOptions For(string directory) => this with { Store = StoreKind.Mapped, Directory = directory };

    /// <summary>Where the pile reports what happens to it; nowhere by default.</summary>
    public ILogger? Logger { get; init; }

    /// <summary>Refuses what is out of its range.</summary>
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
}
