using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a copy load measured. The names and their order are those of the JSON object.</summary>
internal sealed record CopyReport
{
    public required int Repetitions { get; init; }

    /// <summary>The pointer's way as a share of C's memcpy, for 8 KB in cache.</summary>
    public required double PointerOfLimit { get; init; }

    /// <summary>How many times as fast as the accessor the pointer's way is there.</summary>
    public required double PointerTimesAccessor { get; init; }

    /// <summary>The ways to copy; C's memcpy is the last.</summary>
    public required IReadOnlyList<CopyRow> Copies { get; init; }

    /// <summary>The ways to make memory for an image.</summary>
    public required IReadOnlyList<ImageMemoryRow> Memories { get; init; }
}

/// <summary>A way to copy, at one place.</summary>
internal sealed record CopyRow
{
    public required string Way { get; init; }

    /// <summary>cache or memory, of 8 KB; image, again the same one, or imageMemory, another one each time.</summary>
    public required string Place { get; init; }

    public required int SizeBytes { get; init; }

    public required Spread NsPerCopy { get; init; }

    /// <summary>Bytes copied in a nanosecond, by the median.</summary>
    public required double GigabytesPerSecond { get; init; }

    /// <summary>That as a share of what C's memcpy copies at the same place.</summary>
    public required double OfLimit { get; init; }
}

/// <summary>A way to make memory for an image.</summary>
internal sealed record ImageMemoryRow
{
    public required string Memory { get; init; }

    public required Spread AllocateUs { get; init; }

    /// <summary>A byte of each page, once allocated.</summary>
    public required Spread FirstWriteUs { get; init; }

    /// <summary>Of an array: a full collection.</summary>
    public required Spread FreeUs { get; init; }
}
