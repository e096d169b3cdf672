using BigPile.Memory;
using BigPile.Storage;
using Microsoft.Extensions.Logging;

namespace BigPile;

/// <summary>How a pile is made.</summary>
public sealed class PileOptions
{
    /// <summary>The default of <see cref="SegmentBytes"/>: 256 MiB.</summary>
    public const long DefaultSegmentBytes = 256L << 20;

    /// <summary>Where the segments are; <see cref="StoreKind.Native"/> by default. A directory makes it <see cref="StoreKind.Mapped"/>.</summary>
    public StoreKind Store { get; set; } = StoreKind.Native;

    /// <summary>The directory of a mapped pile; made if it is missing.</summary>
    public string? Directory { get; set; }

    /// <summary>The size of a segment: a power of two from 4 MiB to 1 GiB. A mapped pile keeps the size that it was made with.</summary>
    public long SegmentBytes { get; set; } = DefaultSegmentBytes;

    /// <summary>The most bytes that all segments may take together; none by default. At least 1 MiB.</summary>
    public long MaxBytes { get; set; } = long.MaxValue;

    /// <summary>Whether native segments ask for huge pages: random reads gain, the first touch of a page takes longer.</summary>
    public bool HugePages { get; set; } = true;

    /// <summary>What the application's types may be; see <see cref="PileCodecOptions"/>.</summary>
    public PileCodecOptions CodecOptions { get; set; } = new();

    /// <summary>A codec to use instead of the pile's own.</summary>
    public IPileCodec? Codec { get; set; }

    /// <summary>Makes segments in the place of <see cref="Store"/>; how tests let a store fail.</summary>
    internal SegmentStore? CustomStore { get; set; }

    /// <summary>Where the pile reports what happens to it; nowhere by default.</summary>
    public ILogger? Logger { get; set; }
}
