namespace BigPile;

/// <summary>What a pile holds, and where its memory goes.</summary>
/// <remarks>
/// Two equations hold exactly:
/// <code>
/// reserved  = committed + unused
/// committed = payload + headers + slack + free + unexamined
/// </code>
/// Right after a mapped pile was opened, most of it is unexamined: its pages are not recovered yet, and what they hold is not counted.
/// Payload, headers, slack and free are those of the other pages, and the number of objects is unknown until
/// <see cref="UnexaminedBytes"/> is 0. In a pile that is opened for reading only, all pages in use stay unexamined.
/// </remarks>
public sealed record PileStatistics
{
    /// <summary>
    /// Live objects; <see langword="null"/> while <see cref="UnexaminedBytes"/> is not 0. An enumeration of the pile counts them at any
    /// time.
    /// </summary>
    public long? ObjectCount => UnexaminedBytes == 0 ? ObjectsSoFar : null;

    /// <summary>
    /// Objects whose payload outgrew its block and lies behind a link; <see langword="null"/> when <see cref="ObjectCount"/> is.
    /// </summary>
    public long? LinkCount => UnexaminedBytes == 0 ? LinksSoFar : null;

    /// <summary>Live objects in recovered pages.</summary>
    public required long ObjectsSoFar { get; init; }

    /// <summary>Objects of <see cref="ObjectsSoFar"/> that are behind a link.</summary>
    public required long LinksSoFar { get; init; }

    /// <summary>Segments.</summary>
    public required int SegmentCount { get; init; }

    /// <summary>Bytes of a segment, as the pile was created; one that holds a single larger object has more.</summary>
    public long SegmentBytes { get; init; }

    /// <summary>Bytes of all segments.</summary>
    public required long ReservedBytes { get; init; }

    /// <summary>Bytes of pages in use, heads of segments included.</summary>
    public required long CommittedBytes { get; init; }

    /// <summary>Bytes of live payloads, and of deleted ones that are still leased, in recovered pages.</summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Bytes of metadata: heads of segments, and in recovered pages block headers and owner words of link targets.</summary>
    public required long HeaderBytes { get; init; }

    /// <summary>Bytes in live blocks behind their payload, and in pages behind their last slot; in recovered pages.</summary>
    public required long SlackBytes { get; init; }

    /// <summary>Bytes of free slots in recovered pages that are in use.</summary>
    public required long FreeBytes { get; init; }

    /// <summary>
    /// Bytes of pages that were in use when the pile was opened and are not recovered yet, see <see cref="PileRecovery"/>; in a pile that
    /// is opened for reading only, of all pages in use.
    /// </summary>
    public required long UnexaminedBytes { get; init; }

    /// <summary>Bytes of pages that are not in use.</summary>
    public required long UnusedBytes { get; init; }

    /// <summary>Bytes of <see cref="UnusedBytes"/> that went back to the system while it was short of memory; not used for now.</summary>
    public long WithheldBytes { get; init; }

    /// <summary>Bytes of process memory beside the segments, for the allocator's metadata.</summary>
    public required long RecordBytes { get; init; }

    /// <summary>The limit of <see cref="ReservedBytes"/>; <see cref="long.MaxValue"/> if there is none.</summary>
    public required long LimitBytes { get; init; }

    /// <summary>How many puts were refused since the pile was opened, as it was full; see <see cref="PileHealth"/>.</summary>
    public long RefusedPutCount { get; init; }

    /// <summary>
    /// How often background work has failed since the pile was opened: flushes by interval, reading ahead, sweeps of tables.
    /// </summary>
    public long BackgroundFailureCount { get; init; }

    /// <summary>The last failure and its reason, in one line; <see langword="null"/> if there was none.</summary>
    public string? LastBackgroundFailure { get; init; }
}
