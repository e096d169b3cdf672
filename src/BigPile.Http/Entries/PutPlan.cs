using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>What a put request states beside the payload.</summary>
/// <param name="ContentType">The payload's content type.</param>
/// <param name="Coding">How it is compressed.</param>
/// <param name="Options">Lifetime, priority and tags; <see langword="null"/>: the table's defaults.</param>
/// <param name="Condition">The entry that it may replace.</param>
internal readonly record struct PutPlan(string ContentType, ContentCoding Coding, EntryOptions? Options, WriteCondition Condition);
