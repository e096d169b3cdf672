using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

namespace BigPile.Caching.Liveness;

/// <summary>Which entries reads show while the index is rebuilt: only those put since the table was opened.</summary>
/// <remarks>
/// <para>
/// A found entry may be outdated by a block that the walk has yet to find: a tag mark, or a newer entry of the key. So nothing from before
/// the opening is visible until all blocks were read. Versions put since are higher than all in the pile, and nothing that the walk finds
/// outdates them.
/// </para>
/// Phases: complete; rebuilding, with a floor; then no longer rebuilding, with the floor until tombstones are gone; complete. Reads take no
/// lock: each field is written with release and read with acquire.
/// </remarks>
/// <param name="checksEveryRead">Whether every read verifies checksums, which the fast path does not.</param>
internal sealed class VisibilityFloor(bool checksEveryRead)
{
    private ulong _floor; // versions below it are invisible; 0: none
    private bool _isRebuilding; // set before the table is in use; cleared while it is paused
    private bool _readsPlain = !checksEveryRead; // set after the floor drops to 0

    /// <summary>Reads show no entry below this version; 0: they show all.</summary>
    internal ulong Floor => Volatile.Read(ref _floor);

    internal bool IsAllVisible => Floor == 0;

    /// <summary>Whether a walk may still find blocks that the index does not know.</summary>
    internal bool IsRebuilding => Volatile.Read(ref _isRebuilding);

    /// <summary>Whether reads may take the fast path, which checks neither checksums nor <see cref="Floor"/>.</summary>
    internal bool ReadsPlain
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _readsPlain);
    }

    /// <summary>Whether an entry of this version is at or above the floor. Does not check that it is live.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool Shows(ulong version) => version >= Floor;

    /// <summary>Begins a rebuild: the pile has entries that the index does not know. The table is not in use yet.</summary>
    /// <param name="last">The last version that was drawn.</param>
    internal void BeginRebuild(ulong last)
    {
        Volatile.Write(ref _isRebuilding, true); // in no order: no thread reads yet
        Volatile.Write(ref _readsPlain, false);
        Volatile.Write(ref _floor, last + 1);
    }

    /// <summary>The index knows every entry from here on. No call that has read the opposite is under way: the table is paused.</summary>
    internal void EndRebuild() => Volatile.Write(ref _isRebuilding, false);

    /// <summary>Makes all entries visible.</summary>
    internal void ShowAll()
    {
        Debug.Assert(!IsRebuilding, "An entry is visible once no other block of its key can turn up.");
        // Release; pairs with the load in Lookup.TryReadAny, before marks are checked and before the last check of slot and bucket. So a
        // read that finds 0 judges by all marks and the complete index. One that holds the bucket's lock may find the slot first: further
        // changes of the bucket by the walk wait for the lock, and the 0 for the walk.
        Volatile.Write(ref _floor, 0);
        Volatile.Write(ref _readsPlain, !checksEveryRead); // release: only now, as the fast path does not load the floor
    }
}
