namespace BigPile.AspNetCore.Reports;

/// <summary>Where a pile's memory goes: reserved = committed + unused; committed = payload + headers + slack + free.</summary>
/// <param name="Reserved">Bytes of all segments.</param>
/// <param name="Committed">Bytes of pages in use.</param>
/// <param name="Payload">Bytes of live payloads.</param>
/// <param name="Headers">Bytes that describe blocks and segments.</param>
/// <param name="Slack">Bytes in live blocks behind their payload, and in pages behind their last slot.</param>
/// <param name="Free">Bytes of free slots in pages in use.</param>
/// <param name="Unused">Bytes of pages not in use.</param>
/// <param name="Records">Bytes of process memory beside the segments.</param>
/// <param name="Limit">The most bytes that may be reserved; left out when there is no limit.</param>
internal sealed record MemoryReport(
    long Reserved, long Committed, long Payload, long Headers, long Slack, long Free, long Unused, long Records, long? Limit)
{
    internal static MemoryReport Of(PileStatistics pile) => new(
        pile.ReservedBytes, pile.CommittedBytes, pile.PayloadBytes, pile.HeaderBytes, pile.SlackBytes, pile.FreeBytes,
        pile.UnusedBytes, pile.RecordBytes, pile.LimitBytes == long.MaxValue ? null : pile.LimitBytes);
}
