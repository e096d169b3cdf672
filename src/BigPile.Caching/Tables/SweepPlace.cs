using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>
/// The progress of a table's sweeps. One sweep runs at a time; it holds <see cref="SweepLock"/>, which guards all members.
/// </summary>
internal sealed class SweepPlace
{
    internal TinySpinLock SweepLock; // held for a sweep of some buckets or records

    /// <summary>The next bucket.</summary>
    internal ulong Next { get; set; }

    /// <summary>
    /// The version up to which tag marks are dropped at the end of the round: the last mark when the round began; 0 where a comparison with
    /// the pile inserted entries meanwhile.
    /// </summary>
    internal ulong MarksUpTo { get; set; }

    /// <summary>Whether the round met an entry that may expire or be removed by tag later.</summary>
    internal bool HasExpirables { get; set; }

    /// <summary>Whether a mark of a clear existed when the round began: every line is visited.</summary>
    internal bool CoversAllEntries { get; set; }
}
