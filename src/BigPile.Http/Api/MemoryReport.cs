using System.Collections.Generic;

namespace BigPile.Http.Api;

/// <summary>The use of a pile's memory; <see cref="Equations"/> hold exactly.</summary>
/// <param name="Reserved">Bytes of all segments.</param>
/// <param name="Committed">Bytes of pages in use.</param>
/// <param name="Payload">Bytes of live payloads.</param>
/// <param name="Headers">Bytes that describe blocks and segments.</param>
/// <param name="Slack">Bytes of live slots behind their payload, and of pages behind their last slot.</param>
/// <param name="Free">Bytes of free slots in pages in use.</param>
/// <param name="Unexamined">Bytes of pages that were in use when the pile was opened and are not recovered yet.</param>
/// <param name="Unused">Bytes of pages not in use.</param>
/// <param name="Records">Bytes of process memory outside the segments.</param>
/// <param name="Limit">The limit on reserved bytes; omitted without one.</param>
internal sealed record MemoryReport(
    long Reserved, long Committed, long Payload, long Headers, long Slack, long Free, long Unexamined, long Unused, long Records,
    long? Limit)
{
    internal static readonly string[] Equations =
        ["reserved = committed + unused", "committed = payload + headers + slack + free + unexamined"];

    internal static readonly IReadOnlyDictionary<string, string> Explained = new Dictionary<string, string>
    {
        ["reserved"] = "all segments",
        ["committed"] = "pages in use, heads of segments included",
        ["payload"] = "live payloads in recovered pages: entries with their keys, and objects",
        ["headers"] = "the metadata of segments, and of blocks in recovered pages",
        ["slack"] = "unused bytes of live slots behind their payload, and of pages behind their last slot; in recovered pages",
        ["free"] = "free slots in recovered pages in use; new payloads of these sizes go there first",
        ["unexamined"] = "pages in use at the opening that are not recovered yet; no other part counts them; this goes to zero",
        ["unused"] = "pages not in use; payloads of any size go there next",
        ["records"] = "the allocator's records in process memory, beside the segments and not part of them",
        ["limit"] = "the most that may be reserved; a put that would need more is refused",
    };

    internal static MemoryReport Of(PileStatistics pile) => new(
        pile.ReservedBytes, pile.CommittedBytes, pile.PayloadBytes, pile.HeaderBytes, pile.SlackBytes, pile.FreeBytes,
        pile.UnexaminedBytes, pile.UnusedBytes, pile.RecordBytes, pile.LimitBytes == long.MaxValue ? null : pile.LimitBytes);
}
