using System.Diagnostics;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>The visibility floor during a rebuild: only what was put since the table was opened is visible.</summary>
/// <remarks>
/// A found entry may be outdated by a block that the walk has yet to find: a tag mark, or a newer entry of the key. So nothing from before
/// the opening is visible until all blocks were read. Versions put since are higher than all in the pile, and nothing that the walk finds
/// outdates them.
/// </remarks>
internal static class Visibility
{
    /// <summary>Begins a rebuild: the pile has entries that the index does not know. The table is not in use yet.</summary>
    internal static void BeginRebuild(this TableCore core)
    {
        core.IsRebuilding = true;
        core.ReadsPlain = false;
        core.VisibilityFloor = core.Pile.Engine.Versions.Last + 1; // in no order: no thread reads yet
    }

    /// <summary>Makes all entries visible: the index is complete.</summary>
    internal static void MakeAllVisible(this TableCore core)
    {
        Debug.Assert(!core.IsRebuilding, "An entry is visible once no other block of its key can turn up.");
        // Release; pairs with the load in Reading.TryReadAny, before marks are checked and before the last check of slot and bucket. So a
        // read that finds 0 judges by all marks and the complete index. One that holds the bucket's lock may find the slot first: further
        // changes of the bucket by the walk wait for the lock, and the 0 for the walk.
        core.VisibilityFloor = 0;
        core.ReadsPlain = !core.ChecksEveryRead; // release: only now, as the fast path does not load the floor
    }
}
