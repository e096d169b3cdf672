using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching;

/// <summary>How far a cache is in finding the entries of its pile again.</summary>
/// <remarks>
/// After a clean stop and after a kill a cache is ready at once. After another start of the machine that no clean stop came before, or
/// where the files of the indexes are missing or damaged, the pile is walked through in the background. Until that is over every kind of
/// read and enumeration misses what was put before the pile was opened, since a removal or a newer value may yet be found; a factory runs,
/// and its value wins. What was put since is shown at once. Puts and removals of any key are right and stay so. Changes with a condition go
/// by what was found so far, shown or not: a key that was found is not inserted over, a version that was found can be replaced and removed,
/// and what was not found counts as missing; what was removed or replaced before a kill may count as there. None of them shows a value.
/// When a table's index is whole all its entries are shown, and its limits and sweeps have begun. A walk that fails and is made again
/// changes nothing of that. A table that is made since the opening has nothing from before.
/// Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class CacheReadiness
{
    private long _entriesFound;
    private long _unitsDone;
    private long _unitsInAll;
    private Exception? _failure;

    internal CacheReadiness(Task completion) => Completion = completion;

    internal CacheReadiness() => Completion = Task.CompletedTask;

    /// <summary>Whether the index knows every entry, and all of them are shown.</summary>
    public bool IsReady => Completion.IsCompletedSuccessfully;

    /// <summary>Ends when the index knows every entry; fails when the pile could not be walked through.</summary>
    public Task Completion { get; internal set; }

    /// <summary>
    /// Ends when the indexes that an earlier process left have been compared with the pile, which goes on beside all use, behind
    /// <see cref="PileRecovery.Completion"/>; at once where there is nothing to compare, or <see cref="PileOptions.Warmup"/> says that a
    /// pile which was closed is not to be read. It finds something only where a file was damaged: an entry that was missed until then.
    /// Until it ends the marks of removed tags stay.
    /// </summary>
    public Task Inspection { get; internal set; } = Task.CompletedTask;

    /// <summary>The share of the pile that was walked through, from 0 to 1.</summary>
    public double Progress =>
        IsReady ? 1 : Math.Min(1, Interlocked.Read(ref _unitsDone) / (double)Math.Max(1, Interlocked.Read(ref _unitsInAll)));

    /// <summary>What the walk failed of last, if it did. It tries again, and limits and sweeps wait for it.</summary>
    public Exception? Failure
    {
        get => Volatile.Read(ref _failure);
        internal set => Volatile.Write(ref _failure, value);
    }

    /// <summary>The entries that the walk came upon.</summary>
    public long EntriesFound => Interlocked.Read(ref _entriesFound);

    /// <summary>Whether the index came back as it was saved, so that no walk was needed.</summary>
    public bool WasRestored { get; internal init; }

    internal void Expect(long units) => Interlocked.Exchange(ref _unitsInAll, units);

    internal void Advance(long units, int entries)
    {
        Interlocked.Add(ref _unitsDone, units);
        Interlocked.Add(ref _entriesFound, entries);
    }
}
