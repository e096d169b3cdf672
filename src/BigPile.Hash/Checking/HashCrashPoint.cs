namespace BigPile.Hash.Checking;

/// <summary>Places between two stores where a test can kill the process. README.md, "Design", says what each leaves.</summary>
internal enum HashCrashPoint
{
    /// <summary>An extent for a record or tombstone is allocated, and empty.</summary>
    ExtentTaken,

    /// <summary>A record is complete, and no link leads to it.</summary>
    RecordWritten,

    /// <summary>A tombstone is complete, and the record is still linked.</summary>
    TombstoneWritten,

    /// <summary>A link leads to the new record, or past the old one, which is not marked dead.</summary>
    Linked,

    /// <summary>The old record is marked dead; its extent is not freed yet.</summary>
    Marked,

    /// <summary>The device has everything; the header does not say so.</summary>
    SyncedBeforeHead,

    /// <summary>The header says so; pending frees are not marked dead.</summary>
    SyncedBeforeMarks,

    /// <summary>The header says that all records are removed; none is.</summary>
    ClearStated,

    /// <summary>All records are removed; the header does not say that the file is open.</summary>
    ClearCut,

    /// <summary>A recovery has emptied the buckets.</summary>
    RecoveryBucketsEmptied,

    /// <summary>A recovery has linked all records, and marked none dead.</summary>
    RecoveryLinked,

    /// <summary>A recovery has marked the dead records; the header still requires a recovery.</summary>
    RecoveryMarked,

    /// <summary>A rebuilt file is complete beside the old one.</summary>
    RebuildBeforeRename,

    /// <summary>A rebuilt file has taken the old one's name.</summary>
    RebuildRenamed,
}
