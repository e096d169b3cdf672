using System;
using System.Collections.Generic;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

namespace BigPile.Caching.Events;

/// <summary>The listeners for evicted and expired entries, with typed keys.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RemovalListeners<TKey>(EntryEvents events, BackgroundWork background, string table, KeyCodec<TKey> keys)
    where TKey : notnull
{
    private readonly Dictionary<Action<IReadOnlyList<RemovedEntry<TKey>>>, Action<IReadOnlyList<RawRemoval>>> _raw = [];

    internal void Add(Action<IReadOnlyList<RemovedEntry<TKey>>> listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        lock (_raw)
        {
            if (_raw.ContainsKey(listener))
                return;
            Action<IReadOnlyList<RawRemoval>> raw = batch => Notify(listener, batch);
            _raw[listener] = raw;
            events.Subscribe(raw);
        }
    }

    internal void Remove(Action<IReadOnlyList<RemovedEntry<TKey>>> listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        lock (_raw)
        {
            if (_raw.Remove(listener, out Action<IReadOnlyList<RawRemoval>>? raw))
                events.Unsubscribe(raw);
        }
    }

    // A key that can't be decoded is skipped and logged; the others are delivered.
    private void Notify(Action<IReadOnlyList<RemovedEntry<TKey>>> listener, IReadOnlyList<RawRemoval> batch)
    {
        var removed = new List<RemovedEntry<TKey>>(batch.Count);
        foreach (RawRemoval raw in batch)
        {
            background.TryRun(
                $"the reading of the key of a removed entry of the table '{table}'",
                () => removed.Add(new RemovedEntry<TKey>(keys.Decode(raw.Key), raw.Info, raw.Reason)));
        }
        if (removed.Count != 0)
            listener(removed);
    }
}
