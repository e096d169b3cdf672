using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Typed;

namespace BigPile.Torture.Tables;

/// <summary>The table's changes.</summary>
internal sealed partial class KeyTable<TKey>
{
    private long Now => _table.Core.Clock.ToSystem(_table.Core.Clock.Now);

    public FeedFrame List() => FrameOf(FeedFrame.Listed, default,
        [.. _table.Entries.Select(entry => new Change<int, byte[]> { Key = numberOf(entry.Key), Version = entry.Info.Version })]);

    public void Drain(FeedCursor from, Action<FeedFrame> give)
    {
        using var reader = new ChangeReader<TKey, byte[]>(_table.Typed, new ChangeOptions());
        _table.Core.Readiness.Completion.Wait();
        if (reader.TryBegin(from) is { } missed)
            give(FrameOf(missed));
        while (reader.TryNext() is { } batch)
            give(FrameOf(batch));
    }

    public void Follow(FeedCursor from, Action<FeedFrame> give)
    {
        foreach (ChangeBatch<TKey, byte[]> batch in _table.Changes(from).ToBlockingEnumerable())
            give(FrameOf(batch));
    }

    private FeedFrame FrameOf(ChangeBatch<TKey, byte[]> batch) =>
        FrameOf(batch.Kind, batch.Cursor, [.. batch.Changes.Select(change => new Change<int, byte[]>
        {
            Kind = change.Kind,
            Key = change.Kind is ChangeKind.Cleared or ChangeKind.TagRemoved ? -1 : numberOf(change.Key),
            Version = change.Version,
            GoneUpTo = change.GoneUpTo,
            ExpiresAt = change.ExpiresAt,
            TagHashes = change.TagHashes,
        })]);

    private FeedFrame FrameOf(ChangeBatchKind kind, FeedCursor cursor, Change<int, byte[]>[] changes) =>
        new(default, kind, cursor, _table.Core.Feed.Window!.Floor, Now, changes);
}
