using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>How far the sweeps of a table have come. One sweep runs at a time, which has the gate.</summary>
internal sealed class SweepPlace
{
    internal TinySpinLock SweepLock;

    /// <summary>The bucket that is next.</summary>
    internal ulong Next { get; set; }

    /// <summary>
    /// The version up to which marks of tags go at the end of the round: that of the last one when it began; 0 where a comparison with the
    /// pile took entries in meanwhile.
    /// </summary>
    internal ulong MarksUpTo { get; set; }

    /// <summary>Whether the round has found something that may be no more by time or tag later.</summary>
    internal bool HasExpirables { get; set; }

    /// <summary>Whether a mark concerned every entry then.</summary>
    internal bool CoversAllEntries { get; set; }
}
