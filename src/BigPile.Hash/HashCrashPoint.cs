namespace BigPile.Hash;

/// <summary>Instants between two stores, at which a test may end the process. README.md, "Design", says what each leaves.</summary>
internal enum HashCrashPoint
{
    /// <summary>A record's or tombstone's room was taken; nothing is in it.</summary>
    ExtentTaken,

    /// <summary>A record is whole, and nothing leads to it.</summary>
    RecordWritten,

    /// <summary>A tombstone is whole, and the record still linked.</summary>
    TombstoneWritten,

    /// <summary>A link leads to the new record, or past the old one, which is not marked dead.</summary>
    Linked,

    /// <summary>The old record is marked dead; its room is given back next.</summary>
    Marked,

    /// <summary>A hard synchronization has returned from the device; the head does not say so.</summary>
    SyncedBeforeHead,

    /// <summary>The head says so; what waited for it is not marked dead.</summary>
    SyncedBeforeMarks,

    /// <summary>The head says that all is removed; nothing is.</summary>
    ClearStated,

    /// <summary>All is removed; the head does not say that the file is open.</summary>
    ClearCut,

    /// <summary>A recovery has emptied the buckets.</summary>
    RecoveryBucketsEmptied,

    /// <summary>A recovery has linked all records, and marked none dead.</summary>
    RecoveryLinked,

    /// <summary>A recovery has marked what is dead; the head still says that one is needed.</summary>
    RecoveryMarked,

    /// <summary>A rebuilt file is whole beside the old one.</summary>
    RebuildBeforeRename,

    /// <summary>A rebuilt file has the old one's name.</summary>
    RebuildRenamed,
}
