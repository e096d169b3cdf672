using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>The result of one item of a batch.</summary>
/// <param name="Status">The HTTP status.</param>
/// <param name="Problem">The problem, if the item failed.</param>
/// <param name="Info">Version and expiry of the entry.</param>
/// <param name="ContentType">The payload's content type, if there is a payload.</param>
/// <param name="Coding">How the payload is compressed.</param>
/// <param name="PayloadOffset">The offset of the payload in the values that were read.</param>
/// <param name="PayloadBytes">Its length.</param>
internal readonly record struct BatchItem(
    int Status, Problem? Problem, EntryInfo Info, string? ContentType, ContentCoding Coding, int PayloadOffset, int PayloadBytes)
{
    internal static BatchItem Of(Problem problem) => new(problem.Status, problem, default, null, default, 0, 0);

    internal static BatchItem Of(int status, in EntryInfo info) => new(status, null, info, null, default, 0, 0);
}
