using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>What the journal says of a key: whether what was put may be gone, and whether it must be.</summary>
internal sealed unsafe class KeyRules(Journal journal, JournalTime time)
{
    /// <summary>Whether an entry need not be there any more.</summary>
    internal bool MayBeGone(int key, in EntryState put)
    {
        KeyRecord* record = journal.KeyAt(key);
        return put.Revision == 0 || TableSet.RoleOf(key) == TableRole.Limited || (put.ExpiresFrom != 0 && time.NowTicks >= put.ExpiresFrom)
            || record->Remove.IsInFlight || record->Found.Last.End > put.Begin
            || MayBeGoneWithOthers(key, put);
    }

    /// <summary>Whether an entry was removed with others, or was to be.</summary>
    internal bool MayBeGoneWithOthers(int key, in EntryState put)
    {
        KeySide* clear = journal.ClearAt((int)TableSet.RoleOf(key));
        if (clear->IsInFlight || clear->Last.End > put.Begin)
            return true;
        if (put.Tag == 0)
            return false;
        KeySide* tag = TagOf(key, put);
        return tag->IsInFlight || tag->Last.End > put.Begin;
    }

    /// <summary>Why an entry must not be there any more; empty if it may.</summary>
    /// <param name="key">The key.</param>
    /// <param name="put">Its entry.</param>
    /// <param name="until">Removals count that had ended before this instant of the run's clock.</param>
    internal string WhyGone(int key, in EntryState put, long until = long.MaxValue)
    {
        KeyRecord* record = journal.KeyAt(key);
        if (IsBehind(record->Remove.Last, put, until))
            return "a removed key came back";
        if (IsBehind(journal.ClearAt((int)TableSet.RoleOf(key))->Last, put, until))
            return "a key of a cleared table came back";
        if (put.Tag != 0 && IsBehind(TagOf(key, put)->Last, put, until))
            return "a key of a removed tag came back";
        return put.ExpiresAt != 0 && time.NowTicks >= put.ExpiresAt ? "an expired key is there" : "";
    }

    private KeySide* TagOf(int key, in EntryState put) => journal.TagAt((int)TableSet.RoleOf(key), TableSet.PairOf(key), put.Tag);

    private static bool IsBehind(in EntryState removal, in EntryState put, long until) => removal.Begin > put.End && removal.End < until;
}
