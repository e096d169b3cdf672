namespace BigPile.Checking;

/// <summary>The points between two stores at which a kill leaves a state that the next opening has to repair.</summary>
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

    /// <summary>A redo record is filled, and not valid yet.</summary>
    RedoBeforeValid,

    /// <summary>A payload is overwritten completely, and its redo record is still valid.</summary>
    RedoBeforeIdle,

    /// <summary>A link's new target is live, and nothing leads to it.</summary>
    LinkBeforeSwap,

    /// <summary>A link points to its new target, and the old target is live.</summary>
    LinkBeforeOldTargetFreed,

    /// <summary>A deleted link's header says free, and its target is live.</summary>
    DeleteBeforeTargetFreed,

    /// <summary>A block's header says free, and the allocator does not know it yet.</summary>
    FreedBeforeReturned,

    /// <summary>A page has its new size class, and its slots hold bytes of the old one.</summary>
    PageBeforeSlotsCleared,

    /// <summary>A page's slots are laid out, and its word says unused.</summary>
    PageBeforeWord,

    /// <summary>A page's info is cleared for readers, and its word says used.</summary>
    PageBeforeUnused,

    /// <summary>The later pages of a run are published, and the first is not.</summary>
    RunBeforeFirstPage,

    /// <summary>A run's payload is elsewhere, and the run has all its pages.</summary>
    RunBeforeCut,

    /// <summary>A run was cut to one page, and the words of the others still say that they are its later pages.</summary>
    RunBeforeTailsFreed,

    /// <summary>A segment's file is whole, and the superblock does not list it.</summary>
    SegmentBeforeListed,

    /// <summary>A segment is listed, and none of its pages is used.</summary>
    SegmentBeforeUse,

    /// <summary>A segment is struck from the superblock, and its file exists.</summary>
    SegmentBeforeRemoved,

    /// <summary>A table's new entry is live, and the index points to the old one.</summary>
    EntryBeforeSwap,

    /// <summary>The index points to a table's new entry, and the old one is live.</summary>
    EntryBeforeOldFreed,

    /// <summary>The index slot of a key is cleared, and its entry is live.</summary>
    RemoveBeforeFreed,

    /// <summary>The object that an entry owned is deleted, and the entry is live.</summary>
    OwnedBeforeEntryFreed,

    /// <summary>Versions are reserved in the file, and none of them is used.</summary>
    VersionsReservedBeforeUse,

    /// <summary>Compaction has pointed a link to its new target, and the old target is live.</summary>
    CompactBeforeOldTargetFreed,

    /// <summary>One part of a long write is stored, and the next is not.</summary>
    WriteBetweenParts,

    /// <summary>The last lease of a freed block has ended, and the allocator does not know it yet.</summary>
    LeaseBeforeGivenBack,

    /// <summary>A segment is chosen for trimming, and the superblock lists it.</summary>
    SegmentBeforeStruck,

    /// <summary>A redo record has its header, and not its bytes.</summary>
    RedoBeforeFilled,

    /// <summary>A flush has taken its snapshot, and copied nothing; writers go on.</summary>
    FlushBeforeCopy,

    /// <summary>A flush has copied the changed blocks, and the log does not hold them.</summary>
    FlushBeforeBatch,

    /// <summary>The next log has its first batch, and the superblock names the previous epoch.</summary>
    FlushBeforeEpoch,

    /// <summary>One copy of the superblock is new, and the other is old.</summary>
    SuperblockBetweenPlaces,

    /// <summary>A definition is in the catalog, and nothing refers to it.</summary>
    CatalogBeforeUse,

    /// <summary>One record of the log is replayed, and the next is not.</summary>
    ReplayBetweenRecords,

    /// <summary>Everything is repaired, and the redo records are still valid.</summary>
    RecoveryBeforeRedoIdle,

    /// <summary>Everything is ready, and the superblock does not say that the pile is in use.</summary>
    RecoveryBeforeOpened,

    /// <summary>The copy of an entry that was used is complete, and not live.</summary>
    RenewalBeforePublish,

    /// <summary>The copy of an entry that was used is live, and the index points to the old one.</summary>
    RenewalBeforeSwap,

    /// <summary>The index points to the copy of an entry that was used, and the old one is live.</summary>
    RenewalBeforeOldFreed,

    /// <summary>A value is copied to an object of its own, which is not live, and no entry points to it.</summary>
    ExternalizeBeforeEntry,

    /// <summary>An entry points to an object that is not live, and the entry with the value is live.</summary>
    ExternalizeBeforeObject,

    /// <summary>A tag has one of its two marks.</summary>
    TagBetweenMarks,

    /// <summary>A mark is complete, and not live.</summary>
    MarkBeforePublish,

    /// <summary>A mark is live, and so is the previous one of its tag.</summary>
    MarkBeforeOldFreed,

    /// <summary>A table is marked as cleared, and some of its entries are live.</summary>
    ClearBeforeDropped,

    /// <summary>A cleared table is empty, and its mark is live.</summary>
    ClearBeforeMarkFreed,

    /// <summary>A walk has found two entries of a key, and the older one is live.</summary>
    RebuildBeforeOldFreed,

    /// <summary>A shadow header is stored in the table, and its key is not: it is not valid yet.</summary>
    ShadowBeforeValid,

    /// <summary>A block has its shadow header installed, and the table still has it.</summary>
    ShadowBeforeRemoved,

    /// <summary>All pages are recovered after a power cut, and the superblock does not say so.</summary>
    RecoveredBeforeStated,

    /// <summary>An overflow line is neither in the free list nor in a bucket.</summary>
    LineOnItsWay,

    /// <summary>A slot that is moved to an earlier line, so that an overflow line becomes empty, is there twice.</summary>
    LineBetweenEmptied,

    /// <summary>A new bucket has its entries, and no lookup finds it.</summary>
    SplitBeforeRaised,

    /// <summary>A bucket that was split has its new level, and still has entries of the new bucket.</summary>
    SplitBetweenCleared,

    /// <summary>A slot that is moved forward in its bucket is there twice.</summary>
    SplitBetweenBroughtForward,

    /// <summary>A bucket is split, and its control word says that the split is under way.</summary>
    SplitBeforeEnded,

    /// <summary>A bucket is split, and the new one is not counted.</summary>
    SplitBeforeCounted,

    /// <summary>The intent of an index change is recorded, and nothing of the change is stored.</summary>
    IntentRecorded,

    /// <summary>An index change is stored, and its intent is still valid.</summary>
    ChangeBeforeDone,

    /// <summary>The index change of a killed process is completed, and its intent is still valid.</summary>
    ChangeRecovered,

    /// <summary>The files of a table's index exist, and no table has them.</summary>
    TableBeforeListed,

    /// <summary>A table is dropped with its blocks, and its index files exist.</summary>
    DropBeforeFiles,

    /// <summary>A read has loaded a header, and not the page info.</summary>
    ReadBehindHeader,

    /// <summary>A search has loaded a slot, and not its block.</summary>
    SearchBeforeBlock,

    /// <summary>A search has found that a slot's block is no entry.</summary>
    SearchAfterBlock,

    /// <summary>A search has checked the slot again, and not the block.</summary>
    SearchBetweenRechecks,

    /// <summary>A search has made all checks, and has not recorded the use of a sliding entry.</summary>
    SearchBeforeRecordUse,

    /// <summary>A change has a version and a lane of the feed, and no record.</summary>
    FeedBeforeRecord,

    /// <summary>The record of a change is in the feed, and the change is not made.</summary>
    FeedBeforeChange,

    /// <summary>A change with a record is made, and its lane is in flight.</summary>
    FeedBeforeLeft,

    /// <summary>The floor of a feed is above a chunk that is not used anew yet.</summary>
    FeedBeforeRecycled,

    /// <summary>A reader of a feed has walked through the first bucket.</summary>
    FeedBehindFirstBucket,

    /// <summary>One past the last crash point.</summary>
    End,
}
