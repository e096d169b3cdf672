namespace BigPile.Hash;

/// <summary>How a damaged database is opened.</summary>
public enum HashRestoreMode
{
    /// <summary>
    /// A closed database that lacks something is refused, and not changed. One that a kill or a power cut has left is recovered;
    /// <see cref="HashRecovery.DamagedRecords"/> counts what it lacks.
    /// </summary>
    Default,

    /// <summary>
    /// The database is opened read-only, damage included, and nothing is written. Reachable records are returned; an operation that meets
    /// damage throws a <see cref="HashDatabaseCorruptException"/>. After a kill or a power cut, unreachable records count as absent.
    /// </summary>
    ReadOnly,

    /// <summary>
    /// Every record is read; intact ones are kept, and the others are given up and counted in <see cref="HashRecovery.DamagedRecords"/>.
    /// This writes the file, so use it on a copy. A file of zeros, or an empty one, becomes a new database.
    /// </summary>
    AsFarAsSound,
}
