using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Entries;

namespace BigPile.Caching;

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
internal sealed unsafe partial class TableCore
{
    private ulong _shownFrom;
    private bool _readsPlain;

    /// <summary>Whether entries are shown whatever their version is.</summary>
    internal bool ShowsAll => ShownFrom == 0;

    /// <summary>The lowest version of an entry that reads may show.</summary>
    private ulong ShownFrom => Volatile.Read(ref _shownFrom);

    /// <summary>States that the pile has entries which the index does not know. Nobody uses the table yet.</summary>
    internal void BeginRebuild()
    {
        IsRebuilding = true;
        _readsPlain = false;
        _shownFrom = Pile.Versions.Last + 1;
    }

    private void ShowAll()
    {
        Volatile.Write(ref _shownFrom, 0);
        Volatile.Write(ref _readsPlain, !_checksEveryRead);
    }

    /// <summary>
    /// Whether reads may show an entry, as far as the walk for entries goes; whether it is dead is to be asked afterwards.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool IsShown(in EntryHead head) => head.Version >= ShownFrom;
}
