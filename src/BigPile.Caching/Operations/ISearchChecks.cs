namespace BigPile.Caching.Operations;

/// <summary>The checks of a read. Production code makes all; tests omit one and must fail.</summary>
internal interface ISearchChecks
{
    /// <summary>Whether the block is checked again after the copy.</summary>
    static abstract bool BlockAgain { get; }

    /// <summary>Whether the slot is checked again after the copy.</summary>
    static abstract bool SlotAgain { get; }

    /// <summary>Whether the key is compared.</summary>
    static abstract bool Key { get; }

    /// <summary>Whether a miss checks that no split moved entries of the bucket meanwhile.</summary>
    static abstract bool StateAgain { get; }

    /// <summary>Called at each point of a search.</summary>
    static virtual void Pass(SearchPoint point)
    {
    }
}
