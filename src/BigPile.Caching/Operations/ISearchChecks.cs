namespace BigPile.Caching.Operations;

/// <summary>Which of the checks a read makes: all of them. Tests leave one out, and must notice.</summary>
internal interface ISearchChecks
{
    /// <summary>Whether the block must be the same behind the copy.</summary>
    static abstract bool BlockAgain { get; }

    /// <summary>Whether the slot must be the same behind the copy.</summary>
    static abstract bool SlotAgain { get; }

    /// <summary>Whether the key is compared.</summary>
    static abstract bool Key { get; }

    /// <summary>Whether nothing may have been moved when nothing was found.</summary>
    static abstract bool StateAgain { get; }

    /// <summary>Where a search is between two of its looks.</summary>
    static virtual void Pass(SearchPoint point)
    {
    }
}
