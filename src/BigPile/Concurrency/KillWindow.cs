namespace BigPile.Concurrency;

/// <summary>The places between two stores at which a kill leaves something for the next opening to put right.</summary>
internal enum KillWindow
{
    /// <summary>Nowhere.</summary>
    None,

    /// <summary>Half of a new block's payload is written, and its header says free.</summary>
    PutHalfOfPayload,

    /// <summary>A new block's payload is whole, and its header says free.</summary>
    PutBeforeHeader,

    /// <summary>Half of a payload is overwritten in place.</summary>
    ReplaceHalfOfPayload,

    /// <summary>A payload is overwritten in place, and its header is the old one.</summary>
    ReplaceBeforeHeader,

    /// <summary>A redo record is filled, and does not count yet.</summary>
    RedoBeforeValid,

    /// <summary>A payload is overwritten whole, and its redo record still counts.</summary>
    RedoBeforeIdle,

    /// <summary>A link's new target is live, and nothing leads to it.</summary>
    LinkBeforeSwing,

    /// <summary>An origin leads to its new payload, and the old target is live.</summary>
    LinkBeforeOldTargetFreed,

    /// <summary>A deleted link's header says free, and its target is live.</summary>
    DeleteBeforeTargetFreed,

    /// <summary>A block's header says free, and the allocator does not know.</summary>
    FreedBeforeReturned,

    /// <summary>A page belongs to a class, and its slots hold the bytes of the class before.</summary>
    PageBeforeSlotsCleared,

    /// <summary>A page's slots are laid out, and its word says unused.</summary>
    PageBeforeWord,

    /// <summary>Readers know a page no more, and its word says used.</summary>
    PageBeforeUnused,

    /// <summary>The later pages of a run are stated, and the first is not.</summary>
    RunBeforeFirstPage,

    /// <summary>A run's payload is elsewhere, and all its pages are still its own.</summary>
    RunBeforeCut,

    /// <summary>A run has one page, and those behind it still state that they are its later ones.</summary>
    RunBeforeTailsFreed,

    /// <summary>A segment's file is whole, and the superblock does not list it.</summary>
    SegmentBeforeListed,

    /// <summary>A segment is listed, and none of its pages is used.</summary>
    SegmentBeforeUse,

    /// <summary>A segment is struck from the list, and its file is there.</summary>
    SegmentBeforeRemoved,

    /// <summary>A table's new entry is live, and the index leads to the old one.</summary>
    EntryBeforeSwing,

    /// <summary>The index leads to a table's new entry, and the old one is live.</summary>
    EntryBeforeOldFreed,

    /// <summary>The index has lost a key, and its entry is live.</summary>
    RemoveBeforeFreed,

    /// <summary>Versions are reserved in the file, and none of them is used.</summary>
    VersionsReservedBeforeUse,

    /// <summary>One past the last window.</summary>
    End,
}
