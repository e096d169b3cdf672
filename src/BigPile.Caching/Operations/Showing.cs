using System.Diagnostics;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>What is shown before the index is ready: only what was put since the table was opened.</summary>
/// <remarks>
/// An entry that a walk has found may be outdated by a block that it has yet to find: the mark of a removal, or a newer entry of the key.
/// So nothing from before the opening is shown until all blocks were seen. What was put since is higher than every version in the pile, and
/// nothing that the walk finds outdates it.
/// Order: all that the walk took in, index and marks, is written before the version from which on entries are shown goes to 0 (release).
/// A read looks at that version (acquire) before it looks at marks, and before its last look at slot and bucket. So one that finds 0 judges
/// by all marks, and by the slots as they are in the whole index. One that has the bucket locked may find the slot first: what the walk has
/// yet to do to the bucket waits for the lock, and the 0 for the walk. Only then does the short way of reading open (release, acquire),
/// which does not look at the version at all.
/// </remarks>
internal static class Showing
{
    /// <summary>States that the pile has entries which the index does not know. Nobody uses the table yet.</summary>
    internal static void BeginRebuild(this TableCore core)
    {
        core.IsRebuilding = true;
        core.ReadsPlain = false;
        core.VisibilityFloor = core.Pile.Engine.Versions.Last + 1;
    }

    /// <summary>States that the index knows all entries.</summary>
    internal static void MakeAllVisible(this TableCore core)
    {
        Debug.Assert(!core.IsRebuilding, "An entry is shown once no older block of its key can turn up.");
        core.VisibilityFloor = 0;
        core.ReadsPlain = !core.ChecksEveryRead;
    }
}
