namespace BigPile.Concurrency;

/// <summary>The places between two stores at which a kill leaves something for the next opening to put right.</summary>
internal enum CrashPoint
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
    LinkBeforeSwap,

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
    EntryBeforeSwap,

    /// <summary>The index leads to a table's new entry, and the old one is live.</summary>
    EntryBeforeOldFreed,

    /// <summary>The index has lost a key, and its entry is live.</summary>
    RemoveBeforeFreed,

    /// <summary>The object that an entry owned is deleted, and the entry is live.</summary>
    OwnedBeforeEntryFreed,

    /// <summary>Versions are reserved in the file, and none of them is used.</summary>
    VersionsReservedBeforeUse,

    /// <summary>A compaction has the origin lead to its new payload, and the old target is live.</summary>
    CompactBeforeOldTargetFreed,

    /// <summary>One piece of a long part is overwritten, and the next is not.</summary>
    WriteBetweenParts,

    /// <summary>The last lease of a freed block has ended, and the allocator does not know.</summary>
    LeaseBeforeGivenBack,

    /// <summary>A segment is chosen to be given back, and the superblock lists it.</summary>
    SegmentBeforeStruck,

    /// <summary>A redo record has its header, and not its bytes.</summary>
    RedoBeforeFilled,

    /// <summary>A flush has copied what changed, and the log does not hold it.</summary>
    FlushBeforeBatch,

    /// <summary>The next log has its first batch, and the superblock names the one before.</summary>
    FlushBeforeEpoch,

    /// <summary>One place of the superblock is new, and the other is old; or both are new, and nobody knows.</summary>
    SuperblockBetweenPlaces,

    /// <summary>A definition is in the catalog, and nothing refers to it.</summary>
    CatalogBeforeUse,

    /// <summary>A record of the log is put back, and the next is not.</summary>
    ReplayBetweenRecords,

    /// <summary>What a crash left is put right, and the redo records still count.</summary>
    RecoveryBeforeRedoIdle,

    /// <summary>Everything is ready, and the superblock does not say that the pile is in use.</summary>
    RecoveryBeforeOpened,

    /// <summary>The copy of an entry that was used is whole, and not live.</summary>
    RenewalBeforePublish,

    /// <summary>The copy of an entry that was used is live, and the index leads to the one before.</summary>
    RenewalBeforeSwap,

    /// <summary>The index leads to the copy of an entry that was used, and the one before is live.</summary>
    RenewalBeforeOldFreed,

    /// <summary>A value has an object of its own, which is not live, and its entry does not lead to it.</summary>
    ExternalizeBeforeEntry,

    /// <summary>An entry leads to an object that is not live, and the one with the value is.</summary>
    ExternalizeBeforeObject,

    /// <summary>A tag has one of its two marks.</summary>
    TagBetweenMarks,

    /// <summary>A mark is whole, and not live.</summary>
    MarkBeforePublish,

    /// <summary>A mark is live, and so is the one of the same tag before it.</summary>
    MarkBeforeOldFreed,

    /// <summary>A table is marked as cleared, and some of its entries are live.</summary>
    ClearBeforeDropped,

    /// <summary>A cleared table is empty, and its mark is live.</summary>
    ClearBeforeMarkFreed,

    /// <summary>A walk has found the younger of two entries of a key, and the older is live.</summary>
    RebuildBeforeOldFreed,

    /// <summary>The header of a moved block is in its place, and the place does not count.</summary>
    ShadowBeforeValid,

    /// <summary>A moved block has the header that was flushed, and its place still counts.</summary>
    ShadowBeforeRemoved,

    /// <summary>All pages are examined after a power cut, and the superblock does not say so.</summary>
    RecoveredBeforeStated,

    /// <summary>An overflow line is on its way between the free ones and a bucket.</summary>
    LineOnItsWay,

    /// <summary>A new bucket has its entries, and nobody finds it.</summary>
    SplitBeforeRaised,

    /// <summary>A bucket that was split has the new level, and entries that are no longer its own.</summary>
    SplitBetweenCleared,

    /// <summary>A slot that is brought forward in its bucket is there twice.</summary>
    SplitBetweenBroughtForward,

    /// <summary>A bucket is split, and says that entries are being moved.</summary>
    SplitBeforeEnded,

    /// <summary>A bucket is split, and the new one is not counted.</summary>
    SplitBeforeCounted,

    /// <summary>A change of an index is noted, and nothing of it is made.</summary>
    IntentRecorded,

    /// <summary>A change of an index is made, and the note of it still counts.</summary>
    ChangeBeforeDone,

    /// <summary>A change that a killed process had noted is put right, and the note still counts.</summary>
    ChangeRecovered,

    /// <summary>The files of a table's index are made, and no table has them.</summary>
    TableBeforeListed,

    /// <summary>A table is dropped with its blocks, and its files are there.</summary>
    DropBeforeFiles,

    /// <summary>One past the last window.</summary>
    End,
}
