using System.Collections.Generic;

namespace BigPile.Caching;

/// <summary>Changes of a table in the order of their versions, and where to continue behind them.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <typeparam name="TValue">The type of the values.</typeparam>
/// <param name="Kind">What the batch is.</param>
/// <param name="Changes">The changes: up to about 1,000. None in a <see cref="ChangeBatchKind.Gap"/>.</param>
/// <param name="Cursor">Behind the batch: keep it with what you made of the changes.</param>
public sealed record ChangeBatch<TKey, TValue>(
    ChangeBatchKind Kind, IReadOnlyList<Change<TKey, TValue>> Changes, FeedCursor Cursor)
    where TKey : notnull
{
    /// <summary>
    /// Behind a gap, the version up to which the table has lost nothing: what was put above it may have been taken back by a power cut; 0:
    /// that is not known.
    /// </summary>
    public ulong FlushedUpTo { get; init; }
}

/// <summary>What a batch of changes is.</summary>
public enum ChangeBatchKind
{
    /// <summary>Changes, none left out since the batch before.</summary>
    Changes,

    /// <summary>Entries that a walk through the table has met, as if they were put now; changes come in between.</summary>
    Walk,

    /// <summary>
    /// Changes were missed: the reader was behind the window, or the feed began anew, as after a power cut. Let go all that you hold: a
    /// walk through the whole table follows.
    /// </summary>
    Gap,

    /// <summary>The walk has ended: from here on what you hold is what the table has.</summary>
    WalkEnd,
}
