namespace BigPile;

/// <summary>What a pile holds, and where its memory goes.</summary>
/// <remarks>
/// Two equations hold exactly:
/// <code>
/// reserved  = committed + unused
/// committed = payload + headers + slack + free + unexamined
/// </code>
/// Right after a mapped pile was opened most of it is unexamined, and the objects in there are not counted yet.
/// </remarks>
public sealed record PileStatistics
{
    /// <summary>Objects that are live.</summary>
    public required long ObjectCount { get; init; }

    /// <summary>Objects of those whose payload outgrew its block and lives elsewhere, behind a link.</summary>
    public required long LinkCount { get; init; }

    /// <summary>Segments.</summary>
    public required int SegmentCount { get; init; }

    /// <summary>Bytes of all segments.</summary>
    public required long ReservedBytes { get; init; }

    /// <summary>Bytes of pages in use, heads of segments included.</summary>
    public required long CommittedBytes { get; init; }

    /// <summary>Bytes of live payloads, and of deleted ones that are still leased.</summary>
    public required long PayloadBytes { get; init; }

    /// <summary>Bytes that describe: block headers, back words of link targets, heads of segments.</summary>
    public required long HeaderBytes { get; init; }

    /// <summary>Bytes in live blocks behind their payload, and in pages behind their last slot.</summary>
    public required long SlackBytes { get; init; }

    /// <summary>Bytes of free slots in pages in use.</summary>
    public required long FreeBytes { get; init; }

    /// <summary>
    /// Bytes of pages that were in use when the pile was opened and that nobody has examined yet; see <see cref="PileRecovery"/>.
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
