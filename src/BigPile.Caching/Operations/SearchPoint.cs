namespace BigPile.Caching.Operations;

/// <summary>Places of a search at which tests change what it looks at.</summary>
internal enum SearchPoint
{
    /// <summary>The slot was read, its block was not.</summary>
    BeforeBlock,

    /// <summary>The block was read.</summary>
    AfterBlock,

    /// <summary>Between the second looks at slot and block.</summary>
    BetweenRechecks,

    /// <summary>Behind all looks, and before the use of a sliding entry is noted.</summary>
    BeforeRecordUse,
}
