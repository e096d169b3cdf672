using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Recovery;

/// <summary>Tells which changes that a kill interrupted were made, once the table is recovered. Nobody uses it yet.</summary>
/// <remarks>
/// The record of a change is stored before the change, and was not read yet: the lane was in flight. The table decides. A change under way
/// had the lock of its key's bucket, so no later one has touched the key.
/// </remarks>
internal sealed unsafe class FeedRecovery(TableEngine table)
{
    internal bool IsMade(in FeedRecord record, ulong version) => record.Kind switch
    {
        ChangeKind.Added or ChangeKind.Replaced => VersionOf(record) == version,
        ChangeKind.Cleared => table.Tags.ClearedUpTo >= version,
        ChangeKind.TagRemoved => IsMarked(record, version),
        _ => VersionOf(record) is var present && (present == 0 || present > record.Words[0]),
    };

    // A tag may have two hashes, and a kill between their marks leaves the first one: the record then tells of that alone.
    private bool IsMarked(in FeedRecord record, ulong version)
    {
        bool isAny = false;
        for (int i = 0; i < record.Words.Length; i++)
        {
            if (table.Tags.MarkOf(record.Words[i]) >= version)
                isAny = true;
            else
                record.SetWord(i, 0); // the hash of no tag
        }
        return isAny;
    }

    // 0: the index has no entry of the key.
    private ulong VersionOf(in FeedRecord record)
    {
        using ReadScope scope = table.Heap.EnterReader();
        ulong hash = table.Hash.Of(record.Key);
        using LockedBucket bucket = table.Index.Lock(hash);
        return table.Entries.TryFindLocked(bucket, new Keys.KeyProbe(record.Key, hash), out LockedEntry entry) ? entry.Head.Version : 0;
    }
}
