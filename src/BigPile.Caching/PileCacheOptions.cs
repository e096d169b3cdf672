using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching;

/// <summary>How a <see cref="PileCache"/> is made.</summary>
/// <remarks>Thread safety: immutable.</remarks>
public sealed record PileCacheOptions
{
    internal static readonly TimeSpan DefaultFactoryTimeout = TimeSpan.FromMinutes(10);
    internal static readonly TimeSpan MaxFactoryTimeout = TimeSpan.FromDays(7);

    /// <summary>Whether disposing the cache disposes the pile.</summary>
    public bool OwnsPile { get; init; }

    /// <summary>The clock by which entries expire, and by which sweeps come.</summary>
    /// <remarks>
    /// It is read inside the pile: one of your own must not wait for anything, such as a lock. One that says a year
    /// past 2199 is not believed: the cache's time goes on from where it was.
    /// </remarks>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The options of tables that have none of their own; the name is <c>"*"</c>.</summary>
    public TableOptions DefaultTableOptions { get; init; } = new(TableOptions.AnyName);

    /// <summary>
    /// The time from one sweep to the next; <see cref="TimeSpan.Zero"/>: nothing is swept but by <see cref="CacheTable.Sweep"/>.
    /// </summary>
    public TimeSpan SweepPeriod { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The most buckets of each table, of a few entries each, that one sweep looks at; more when it finds much.</summary>
    public int SweepBuckets { get; init; } = 8192;

    /// <summary>
    /// Whether the cache is given out only when the index knows every entry of the pile, however long that takes. Without the wait reads
    /// miss meanwhile what was put before the pile was opened; see <see cref="CacheReadiness"/>.
    /// </summary>
    public bool WaitsUntilReady { get; init; }

    /// <summary>
    /// Where the indexes of a mapped pile's tables are kept: a directory that has one for each pile, such as one in shared memory, which
    /// outlives the process and not the machine's start; <see langword="null"/>: with the pile. A pile whose indexes are not found there
    /// is walked through.
    /// </summary>
    public string? IndexDirectory { get; init; }

    /// <summary>
    /// Where the entries go that leave the memory of a table at its limit, to come back when they are asked for: a directory, which gets a
    /// hash database for each such table; <see langword="null"/>, the default: they are evicted.
    /// </summary>
    /// <remarks>
    /// To who uses keys a table has both kinds of entries; a walk through its entries, its count and its limits are about those in memory.
    /// A read that finds an entry there brings it back. A database begins empty each time the cache is made, and goes with it. What does
    /// not get there is evicted as without it: entries over 16 MiB, values that were given out as pointers, the entries of tables with a
    /// comparer, and all while the disk is full.
    /// </remarks>
    public string? SpillDirectory { get; init; }

    /// <summary>
    /// How long a caller of <c>GetOrAdd</c> waits for the factory of another one before it throws <see cref="TimeoutException"/>: above
    /// zero and up to 7 days, 10 minutes by default; or <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </summary>
    /// <remarks>
    /// A factory that asks for its own key is told at once, on whatever thread; but behind <see cref="ExecutionContext.SuppressFlow"/>
    /// another thread can't be told from another caller, and this ends its wait. The factory itself may take as long as it likes.
    /// </remarks>
    public TimeSpan FactoryPatience { get; init; } = DefaultFactoryTimeout;

    /// <summary>What the comparison of indexes with the pile waits for; see <see cref="CacheReadiness.Inspection"/>. For tests.</summary>
    internal Task InspectsAfter { get; init; } = Task.CompletedTask;

    /// <summary>Refuses what is out of its range.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(TimeProvider);
        ArgumentOutOfRangeException.ThrowIfLessThan(SweepPeriod, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(SweepBuckets, 1);
        if (!IsValidTimeout(FactoryPatience))
        {
            throw new ArgumentException(
                $"PileCacheOptions.FactoryPatience is {FactoryPatience}; it must be above zero and at most {MaxFactoryTimeout}, or "
                + "infinite.", "options");
        }
    }

    /// <summary>Whether callers may wait so long for a factory.</summary>
    internal static bool IsValidTimeout(TimeSpan time) =>
        time == Timeout.InfiniteTimeSpan || (time > TimeSpan.Zero && time <= MaxFactoryTimeout);
}
