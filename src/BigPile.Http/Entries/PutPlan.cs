using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>What a request that puts an entry says beside the payload.</summary>
/// <param name="ContentType">The payload's content type.</param>
/// <param name="Coding">How it is compressed.</param>
/// <param name="Options">Lifetime, priority and tags; the table's when there are none.</param>
/// <param name="Condition">Which entry it may take the place of.</param>
internal readonly record struct PutPlan(string ContentType, ContentCoding Coding, EntryOptions? Options, WriteCondition Condition);
