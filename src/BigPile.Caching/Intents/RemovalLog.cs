using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Tables;

namespace BigPile.Caching.Intents;

/// <summary>Records removals while the table's index is inspected, so that no removed key is found again.</summary>
/// <remarks>
/// A table always has one; a <see cref="RemovedKeys"/> only while an inspection runs, for this process. A flag in the index tells the next
/// one that keys were removed, though not which. Thread safety: all members may be called concurrently; an inspection begins and ends
/// under the table's configuration lock.
/// </remarks>
internal sealed unsafe class RemovalLog(TableIndex index, TableHeap heap)
{
    private RemovedKeys? _removed; // set and cleared by the inspection

    /// <summary>
    /// The keys removed since the inspection began; null when none runs. While it is set, the counters are taken to
    /// include every entry that the inspection finds, whether or not a slot leads to it; after damage all is counted anew at the end.
    /// </summary>
    internal RemovedKeys? Removed
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _removed);
    }

    /// <summary>Begins to record, unless removals are recorded already.</summary>
    /// <param name="entries">About how many entries there are.</param>
    /// <param name="mayBeAny">Whether removals up to now went unrecorded: whatever was put before counts as removed.</param>
    internal void Begin(long entries, bool mayBeAny)
    {
        if (Removed == null)
            Volatile.Write(ref _removed, new RemovedKeys(entries, mayBeAny ? heap.Versions.Last : 0));
    }

    /// <summary>Ends what <see cref="Begin"/> began. Tag marks may be dropped again.</summary>
    internal void End() => Volatile.Write(ref _removed, null);

    /// <summary>Records that a key was removed or missing. The bucket's lock is held.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void RecordLocked(ulong tag)
    {
        if (Removed is { } removed)
            RecordLocked(removed, tag);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RecordLocked(RemovedKeys removed, ulong tag)
    {
        if (!index.HasFlag(IndexHead.RemovedFlag))
            index.SetFlag(IndexHead.RemovedFlag, true);
        removed.Add(tag, heap.Versions.Last);
    }
}
