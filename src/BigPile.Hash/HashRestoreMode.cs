namespace BigPile.Hash;

/// <summary>What opening does with a database that is damaged.</summary>
public enum HashRestoreMode
{
    /// <summary>
    /// One that was closed and lacks something is refused, and its file stays as it is. One that a kill or a power cut has left is
    /// recovered; <see cref="HashRecovery.DamagedRecords"/> counts what it lacks.
    /// </summary>
    Default,

    /// <summary>
    /// It is opened as it lies, for reading only, and nothing is written. Records that can be reached are given; who meets damage gets a
    /// <see cref="HashDatabaseCorruptException"/>. Behind a kill or a power cut, records that can't be reached count as absent.
    /// </summary>
    ReadOnly,

    /// <summary>
    /// Each record is read, all that are whole are put together, and the others are given up:
    /// <see cref="HashRecovery.DamagedRecords"/> counts them. The file is written, so do that with a copy. A file of zeros, or of none,
    /// is made anew.
    /// </summary>
    AsFarAsSound,
}
