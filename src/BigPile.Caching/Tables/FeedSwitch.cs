using System.IO;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Caching.Tables;

/// <summary>Turns the feed of a table on and off, by its options, or for those who listen to removed entries.</summary>
internal readonly struct FeedSwitch(TableEngine table)
{
    /// <summary>A listener for removed entries is added: a table without a feed gets a small one, for good.</summary>
    internal void BeginListening()
    {
        PileRegions.ThrowIfInRegion();
        long now = table.Clock.BeforeLock;
        lock (table.ConfigurationLock)
        {
            if (table.Feed.IsListened)
                return;
            TableEngine engine = table;
            engine.RunPausedLocked(() =>
            {
                engine.Feed.SetListened();
                new FeedSwitch(engine).ApplyLocked(engine.Options);
            });
            engine.Shrink.EvictLocked(now); // the window counts in the limit
        }
    }

    /// <summary>Applies options while no thread is in the table.</summary>
    /// <exception cref="PileException">The window can't be made. The feed is off.</exception>
    internal void ApplyLocked(TableOptions options)
    {
        try
        {
            table.Feed.Configure(options.FeedBytes, options.FeedsValues);
        }
        catch (IOException e)
        {
            string message = $"The window of the change feed of the table '{table.Name}' can't be made: "
                + FileErrors.WithRemedy(e, "Free space on the disk, or lower TableOptions.FeedBytes, and configure the table again.");
            throw FileErrors.IsDiskFull(e) ? new PileFullException(message, e) : new PileStorageException(message, e);
        }
    }
}
