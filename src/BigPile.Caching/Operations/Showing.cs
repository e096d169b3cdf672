using System.Diagnostics;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>The visibility floor during a rebuild: only what was put since the table was opened is visible.</summary>
/// <remarks>
/// A found entry may be outdated by a block that the walk has yet to find: a tag mark, or a newer entry of the key. So nothing from before
/// the opening is visible until all blocks were read. Versions put since are higher than all in the pile, and nothing that the walk finds
/// outdates them.
/// Order: index and marks are written before the floor is set to 0 (release). A read loads the floor (acquire) before it checks marks, and
/// before its last check of slot and bucket. So a read that finds 0 judges by all marks and by the complete index. One that holds the
/// bucket's lock may find the slot first: further changes of the bucket by the walk wait for the lock, and the 0 for the walk. The fast
/// path, which does not load the floor, opens only then (release, acquire).
/// </remarks>
internal static class Showing
{
    /// <summary>Begins a rebuild: the pile has entries that the index does not know. The table is not in use yet.</summary>
    internal static void BeginRebuild(this TableCore core)
    {
        core.IsRebuilding = true;
        core.ReadsPlain = false;
        core.VisibilityFloor = core.Pile.Engine.Versions.Last + 1;
    }

    /// <summary>Makes all entries visible: the index is complete.</summary>
    internal static void MakeAllVisible(this TableCore core)
    {
        Debug.Assert(!core.IsRebuilding, "An entry is visible once no other block of its key can turn up.");
        core.VisibilityFloor = 0; // release: index and marks are complete before
        core.ReadsPlain = !core.ChecksEveryRead; // release: only now, as the fast path does not load the floor
    }
}
