namespace BigPile;

/// <summary>What a pile holds, and where its memory goes.</summary>
/// <remarks>
/// Two equations hold exactly:
/// <code>
/// reserved  = committed + unused
/// committed = payload + headers + slack + free + unexamined
/// </code>
/// Right after a mapped pile was opened most of it is unexamined. What is in there is not counted yet: payload, headers, slack and free are
/// those of the other pages, and the number of objects is not known until <see cref="UnexaminedBytes"/> is 0. Of a pile that is opened for
/// reading only all pages in use are unexamined for good.
/// </remarks>
public sealed record PileStatistics
{
    /// <summary>
    /// Objects that are live; <see langword="null"/> while there are <see cref="UnexaminedBytes"/>. An enumeration of the pile counts them
    /// at any time.
    /// </summary>
    public long? ObjectCount => UnexaminedBytes == 0 ? ObjectsSoFar : null;

    /// <summary>
    /// Objects of those whose payload outgrew its block and lives elsewhere, behind a link; <see langword="null"/> as
    /// <see cref="ObjectCount"/> is.
    /// </summary>
    public long? LinkCount => UnexaminedBytes == 0 ? LinksSoFar : null;

    /// <summary>Objects that are live in pages that were examined.</summary>
    public required long ObjectsSoFar { get; init; }

    /// <summary>Objects of <see cref="ObjectsSoFar"/> that are behind a link.</summary>
    public required long LinksSoFar { get; init; }

    /// <summary>Segments.</summary>
    public required int SegmentCount { get; init; }

    /// <summary>Bytes of all segments.</summary>
    public required long ReservedBytes { get; init; }

    /// <summary>Bytes of pages in use, heads of segments included.</summary>
    public required long CommittedBytes { get; init; }

    /// <summary>Bytes of live payloads, and of deleted ones that are still leased, in examined pages.</summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Bytes that describe: heads of segments, and in examined pages block headers and back words of link targets.</summary>
    public required long HeaderBytes { get; init; }

    /// <summary>Bytes in live blocks behind their payload, and in pages behind their last slot; of examined pages.</summary>
    public required long SlackBytes { get; init; }

    /// <summary>Bytes of free slots in examined pages in use.</summary>
    public required long FreeBytes { get; init; }

    /// <summary>
    /// Bytes of pages that were in use when the pile was opened and that nobody has examined yet, see <see cref="PileRecovery"/>; of a pile
    /// that is opened for reading only, of all pages in use.
    /// </summary>
    public required long UnexaminedBytes { get; init; }

    /// <summary>Bytes of pages that are not in use.</summary>
    public required long UnusedBytes { get; init; }

    /// <summary>Bytes of process memory beside the segments, for the allocator's records.</summary>
    public required long RecordBytes { get; init; }

    /// <summary>The limit of <see cref="ReservedBytes"/>; <see cref="long.MaxValue"/> when there is none.</summary>
    public required long LimitBytes { get; init; }

    /// <summary>
    /// How often work in the background has failed since the pile was opened: flushes by interval, reading ahead, sweeps of tables.
    /// </summary>
    public long BackgroundFailureCount { get; init; }

    /// <summary>What of it failed last and why, in one line; <see langword="null"/> when nothing did.</summary>
    public string? LastBackgroundFailure { get; init; }
}
