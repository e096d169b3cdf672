using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching;

/// <summary>The options of a <see cref="PileCache"/>.</summary>
/// <remarks>Thread safety: immutable.</remarks>
public sealed record PileCacheOptions
{
    /// <summary>The longest finite <see cref="FactoryPatience"/>: 7 days.</summary>
    public static readonly TimeSpan MaxFactoryTimeout = FactoryTimeouts.Longest;

    /// <summary>Whether disposing the cache disposes the pile.</summary>
    public bool OwnsPile { get; init; }

    /// <summary>The clock for expiry and sweeps.</summary>
    /// <remarks>
    /// It is read in a critical region of the pile: a custom one must not wait for anything, such as a lock. A year past 2199 is ignored:
    /// the cache's time continues from where it was.
    /// </remarks>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>The options of tables that have none of their own; the name is <c>"*"</c>.</summary>
    public TableOptions DefaultTableOptions { get; init; } = new(TableOptions.AnyName);

    /// <summary>The period of sweeps; <see cref="TimeSpan.Zero"/>: only <see cref="CacheTable.Sweep"/> sweeps.</summary>
    public TimeSpan SweepPeriod { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The maximum number of buckets per table and sweep, of a few entries each; more when a sweep finds much.</summary>
    public int SweepBuckets { get; init; } = 8192;

    /// <summary>
    /// Whether the constructor waits until the index is complete, however long that takes. Without the wait, reads miss meanwhile what was
    /// put before the pile was opened; see <see cref="CacheReadiness"/>.
    /// </summary>
    public bool WaitsUntilReady { get; init; }

    /// <summary>
    /// The directory for the indexes of mapped piles, with a subdirectory per pile; for example in shared memory, which outlives the
    /// process but not a restart of the machine. <see langword="null"/>: with the pile. A pile whose indexes are missing there is walked.
    /// </summary>
    public string? IndexDirectory { get; init; }

    /// <summary>
    /// The directory for entries evicted from memory at a limit, which come back when they are read: it gets a hash database per table.
    /// <see langword="null"/>, the default: they are lost.
    /// </summary>
    /// <remarks>
    /// For operations by key a table has both kinds of entries; enumeration, count and limits concern those in memory. A read that finds an
    /// entry in the file moves it to memory. A database is created empty with its first entry, and deleted with the cache. Evicted for good
    /// are entries over 16 MiB, values that were given out as pointers, entries of tables with a comparer, and everything while the disk is
    /// full.
    /// </remarks>
    public string? SpillDirectory { get; init; }

    /// <summary>
    /// Whether tables that give way (<see cref="TableOptions.GivesWay"/>) shrink while the container or the machine is short of memory, and
    /// grow again afterwards; they do by default.
    /// </summary>
    /// <remarks>
    /// Short is less than 5 % of the memory, or 64 MiB, up to 10 %, and what others took at once of late; enough is that first part more.
    /// Looked at four times a second; a pile that takes less than that is left alone. For piles in native memory, on Linux: a mapped pile's
    /// memory is dropped by the system, and that of managed arrays does not go back to it.
    /// <see cref="PileStatistics.WithheldBytes"/> tells what was returned. Entries that stay may use it again.
    /// </remarks>
    public bool MonitorsMemory { get; init; } = true;

    /// <summary>
    /// How long a caller of <c>GetOrAdd</c> waits for the factory of another one before it throws <see cref="TimeoutException"/>: above
    /// zero and up to 7 days, 10 minutes by default; or <see cref="Timeout.InfiniteTimeSpan"/>.
    /// </summary>
    /// <remarks>
    /// A factory that asks for its own key is refused at once, on any thread. Behind <see cref="ExecutionContext.SuppressFlow"/> another
    /// thread can't be told from another caller, and this timeout ends its wait. The factory itself may take any time.
    /// </remarks>
    public TimeSpan FactoryPatience { get; init; } = TimeSpan.FromMinutes(10);

    /// <summary>
    /// How many factories run at a time in all tables; further ones wait, within the time limits of their callers. From 1; any number by
    /// default. A factory that another one waits for runs without a place of its own; behind <see cref="ExecutionContext.SuppressFlow"/>
    /// that is not known, and a factory that has the last place would wait for ever.
    /// </summary>
    public int? MaxFactories { get; init; }

    /// <summary>
    /// How many refreshes ahead of an expiry (<see cref="EntryOptions.EagerRefresh"/>) run at a time in all tables; from 1, 32 by default.
    /// Others are left to a later read.
    /// </summary>
    public int MaxRefreshes { get; init; } = 32;

    /// <summary>What the inspection of the indexes waits for; see <see cref="CacheReadiness.Inspection"/>. For tests.</summary>
    internal Task InspectsAfter { get; init; } = Task.CompletedTask;

    /// <summary>Validates the options.</summary>
    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal void Validate()
    {
        ArgumentNullException.ThrowIfNull(TimeProvider);
        ArgumentOutOfRangeException.ThrowIfLessThan(SweepPeriod, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfLessThan(SweepBuckets, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxFactories ?? 1, 1, nameof(MaxFactories));
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxRefreshes, 1);
        if (FactoryPatience != Timeout.InfiniteTimeSpan && (FactoryPatience <= TimeSpan.Zero || FactoryPatience > MaxFactoryTimeout))
        {
            throw new ArgumentException(
                $"PileCacheOptions.FactoryPatience is {FactoryPatience}; it must be above zero and at most {MaxFactoryTimeout}, or "
                + "infinite.", "options");
        }
    }
}
