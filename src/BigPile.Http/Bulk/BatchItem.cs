using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>What became of one item of a batch.</summary>
/// <param name="Status">As in HTTP.</param>
/// <param name="Problem">What is wrong, if anything is.</param>
/// <param name="Info">Version and expiry of the entry.</param>
/// <param name="ContentType">The payload's content type, if there is a payload.</param>
/// <param name="Coding">How the payload is compressed.</param>
/// <param name="PayloadOffset">Where the payload begins in the values that were read.</param>
/// <param name="PayloadBytes">Its length.</param>
internal readonly record struct BatchItem(
    int Status, Problem? Problem, EntryInfo Info, string? ContentType, ContentCoding Coding, int PayloadOffset, int PayloadBytes)
{
    internal static BatchItem Of(Problem problem) => new(problem.Status, problem, default, null, default, 0, 0);

    internal static BatchItem Of(int status, in EntryInfo info) => new(status, null, info, null, default, 0, 0);
}
