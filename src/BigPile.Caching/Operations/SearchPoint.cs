namespace BigPile.Caching.Operations;

/// <summary>The points of a search at which tests change the data under it.</summary>
internal enum SearchPoint
{
    /// <summary>The slot was read, its block was not.</summary>
    BeforeBlock,

    /// <summary>The block was read.</summary>
    AfterBlock,

    /// <summary>Between the rechecks of slot and block.</summary>
    BetweenRechecks,

    /// <summary>After all checks, before the use of a sliding entry is recorded.</summary>
    BeforeRecordUse,
}
