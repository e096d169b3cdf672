using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching;

/// <summary>The progress of a cache in recovering the entries of its pile.</summary>
/// <remarks>
/// After a clean stop and after a kill a cache is ready at once. After a restart of the machine without a clean stop, or where index files
/// are missing or damaged, the pile is walked in the background. Until that ends, every read and enumeration misses what was put before the
/// pile was opened, since a removal or a newer value may still be found; factories run, and their values win. What was put since the
/// opening is visible at once. Puts and removals without a condition are always right.
/// Changes with a condition go by what was found so far, visible or not: a found key is not inserted again, a found version can be replaced
/// or removed, and what was not found counts as missing; what was removed or replaced before a kill may count as present. None of them
/// returns a value.
/// Once a table's index is complete, all its entries become visible, and its limits and sweeps begin. A walk that fails and is repeated
/// changes nothing of this. A table created since the opening has no entries from before.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class CacheReadiness
{
    private long _entriesFound; // interlocked, by the threads of the walk
    private long _unitsDone; // block addresses walked; interlocked
    private long _unitsInAll; // block addresses to walk; set as the walk begins
    private Exception? _failure; // null again once a repetition succeeds

    internal CacheReadiness(Task completion) => Completion = completion;

    internal CacheReadiness() => Completion = Task.CompletedTask;

    /// <summary>Whether the index is complete, and all entries are visible.</summary>
    public bool IsReady => Completion.IsCompletedSuccessfully;

    /// <summary>Completes when the index is complete; fails when the pile could not be walked.</summary>
    public Task Completion { get; private set; }

    /// <summary>
    /// Completes when the indexes of an earlier process have been inspected: compared with the pile. That runs beside all use, after
    /// <see cref="PileRecovery.Completion"/>; it is complete at once where there is nothing to inspect, or where
    /// <see cref="PileOptions.Warmup"/> says not to read a pile that was closed. It finds something only where a file was damaged: an entry
    /// that was missed until then. Until it completes, marks of removed tags are kept.
    /// </summary>
    public Task Inspection { get; private set; } = Task.CompletedTask;

    /// <summary>A walk has begun that finds the entries.</summary>
    internal void CompleteWith(Task walk) => Completion = walk;

    /// <summary>An inspection of the indexes has begun.</summary>
    internal void InspectWith(Task inspection) => Inspection = inspection;

    /// <summary>The share of the pile that was walked, from 0 to 1.</summary>
    public double Progress =>
        IsReady ? 1 : Math.Min(1, Volatile.Read(ref _unitsDone) / (double)Math.Max(1, Volatile.Read(ref _unitsInAll)));

    /// <summary>The last failure of the walk, if any. It is repeated; limits and sweeps wait for it.</summary>
    public Exception? Failure
    {
        get => Volatile.Read(ref _failure);
        internal set => Volatile.Write(ref _failure, value);
    }

    /// <summary>The number of entries that the walk found.</summary>
    public long EntriesFound => Volatile.Read(ref _entriesFound);

    /// <summary>Whether the index was restored as it was saved, without a walk.</summary>
    public bool WasRestored { get; internal init; }

    internal void Expect(long units) => Interlocked.Exchange(ref _unitsInAll, units);

    internal void Advance(long units, int entries)
    {
        Interlocked.Add(ref _unitsDone, units);
        Interlocked.Add(ref _entriesFound, entries);
    }
}
