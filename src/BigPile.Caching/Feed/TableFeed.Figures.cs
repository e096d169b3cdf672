using System;
using BigPile.Durability;

namespace BigPile.Caching.Feed;

/// <summary>The figures of a feed.</summary>
internal sealed unsafe partial class TableFeed
{
    /// <summary>What the window holds, and who reads it.</summary>
    internal TableStatistics AddTo(TableStatistics statistics)
    {
        lock (_readers) // the window must not be freed meanwhile
        {
            if (_window is not { } window)
                return statistics;
            (long used, ulong oldest, ulong newest) = window.Described();
            TimeSpan lag = TimeSpan.Zero;
            foreach (FeedPosition reader in _readers)
            {
                if (reader.Version is var version && version < newest && Between(version, newest) > lag)
                    lag = Between(version, newest);
            }
            return statistics with
            {
                FeedBytes = SizeBytes,
                FeedReaders = _readers.Count,
                FeedLag = lag,
                FeedWindow = used == 0 ? null : Held(oldest, newest) * ((double)window.ChunkCount * window.ChunkBytes / used),
            };
        }
    }

    /// <summary>
    /// The time that readers have before a change is lost; null: nobody reads, or the window is not full yet, so that its rate says little.
    /// </summary>
    internal TimeSpan? TimeForReaders
    {
        get
        {
            lock (_readers)
            {
                if (_readers.Count == 0 || _window is not { } window)
                    return null;
                (long used, ulong oldest, ulong newest) = window.Described();
                return used < (long)window.ChunkCount * window.ChunkBytes ? null : Held(oldest, newest);
            }
        }
    }

    private TimeSpan Held(ulong oldest, ulong newest) =>
        newest == 0 ? TimeSpan.Zero : Between(oldest, Math.Max(heap.Versions.Last, newest));

    // Versions have the millisecond in which they were drawn.
    private static TimeSpan Between(ulong from, ulong to) =>
        TimeSpan.FromMilliseconds((to >> Versions.ClockShift) - (double)Math.Min(from >> Versions.ClockShift, to >> Versions.ClockShift));
}
