using System;
using BigPile.Allocation;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>How a pile is made.</summary>
public sealed class PileOptions
{
    /// <summary>The default of <see cref="SegmentBytes"/>: 256 MiB.</summary>
    public const long DefaultSegmentBytes = 256L << 20;

    /// <summary>The default of <see cref="FlushLogBytes"/>: 64 MiB.</summary>
    public const long DefaultFlushLogBytes = 64L << 20;

    /// <summary>What the pile is called in metrics; the last part of its directory's path, or "pile", by default.</summary>
    public string? Name { get; set; }

    /// <summary>
    /// Where the segments are; <see cref="StoreKind.Native"/> by default. A directory makes it <see cref="StoreKind.Mapped"/>.
    /// </summary>
    public StoreKind Store { get; set; } = StoreKind.Native;

    /// <summary>The directory of a mapped pile; made if it is missing.</summary>
    public string? Directory { get; set; }

    /// <summary>The size of a segment: a power of two from 4 MiB to 1 GiB. A mapped pile keeps the size that it was made with.</summary>
    public long SegmentBytes { get; set; } = DefaultSegmentBytes;

    /// <summary>The most bytes that all segments may take together; none by default. At least 1 MiB.</summary>
    public long MaxBytes { get; set; } = long.MaxValue;

    /// <summary>Whether a directory without a pile gets one; otherwise opening it fails.</summary>
    public bool CreateDirectory { get; set; } = true;

    /// <summary>Whether a mapped pile is opened for reading only, which is possible while another process writes it.</summary>
    public bool ReadOnly { get; set; }

    /// <summary>What is done with the checksums of a mapped pile's blocks. Whether it has them is decided when it is made.</summary>
    public PileChecksums Checksums { get; set; } = PileChecksums.AtFirstUse;

    /// <summary>What is read in the background once a mapped pile is open.</summary>
    public PileWarmup Warmup { get; set; } = PileWarmup.Touch;

    /// <summary>How many bytes the background may read in a second; 0, the default, is no limit.</summary>
    public long WarmupBytesPerSecond { get; set; }

    /// <summary>How often a mapped pile is flushed by itself, up to 7 days apart; never by default.</summary>
    public TimeSpan? FlushInterval { get; set; }

    /// <summary>
    /// The most bytes that the flush log of a mapped pile may take before a flush writes the segments instead; 64 MiB by default.
    /// </summary>
    public long FlushLogBytes { get; set; } = DefaultFlushLogBytes;

    /// <summary>The clock behind <see cref="FlushInterval"/> and <see cref="WarmupBytesPerSecond"/>.</summary>
    public TimeProvider TimeProvider { get; set; } = TimeProvider.System;

    /// <summary>Whether native segments ask for huge pages: random reads gain, the first touch of a page takes longer.</summary>
    public bool HugePages { get; set; } = true;

    /// <summary>What the application's types may be; see <see cref="PileCodecOptions"/>.</summary>
    public PileCodecOptions CodecOptions { get; set; } = new();

    /// <summary>A codec to use instead of the pile's own.</summary>
    public IPileCodec? Codec { get; set; }

    /// <summary>Makes segments in the place of <see cref="Store"/>; how tests let a store fail.</summary>
    internal SegmentStore? CustomStore { get; set; }

    /// <summary>The machine's start to go by instead of the real one; how tests cut the power.</summary>
    internal Guid? BootId { get; set; }

    /// <summary>Told of each file that is about to be written through; how tests let a device fail.</summary>
    internal Action<string>? Syncing { get; set; }

    /// <summary>Told of each file that was written through to the device; how tests know what a power cut leaves.</summary>
    internal Action<string>? Synced { get; set; }

    /// <summary>Stands between the pile and its directory; how tests let each file operation fail.</summary>
    internal IFileHook? FileHook { get; set; }

    /// <summary>How long a reader waits for a writer in another process that does not go on.</summary>
    internal TimeSpan WriterPatience { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>The same options, for the pile in a directory.</summary>
    internal PileOptions For(string directory)
    {
        var options = (PileOptions)MemberwiseClone();
        options.Store = StoreKind.Mapped;
        options.Directory = directory;
        return options;
    }

    /// <summary>Where the pile reports what happens to it; nowhere by default.</summary>
    public ILogger? Logger { get; set; }
}
