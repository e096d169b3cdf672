using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using BigPile.Caching.Events;
using BigPile.Caching.Flights;
using BigPile.Caching.Keys;

namespace BigPile.Caching;

/// <summary>A table from keys to objects. On a mapped pile it comes back after a restart.</summary>
/// <typeparam name="TKey">
/// The type of the keys. Text (ordinal), <see cref="long"/>, <see cref="int"/> and <see cref="Guid"/> are fast; keys of any other type are
/// equal when the codec gives the same bytes for them.
/// </typeparam>
/// <typeparam name="TValue">The type of the values; any that the pile can hold.</typeparam>
/// <remarks>
/// Keys and values live in the pile; the index is unmanaged memory. No managed object exists per entry. Every read gives a new object, so
/// what a caller does to it changes nothing in the table.
/// Thread safety: all members may be called concurrently. Reads take no lock.
/// </remarks>
public sealed partial class CacheTable<TKey, TValue> : CacheTable
    where TKey : notnull
{
    private readonly KeyCodec<TKey> _keys;
    private readonly FlightTable<TKey, TValue> _flights;
    private readonly Dictionary<Action<IReadOnlyList<RemovedEntry<TKey>>>, Action<IReadOnlyList<RawRemoval>>> _listeners = [];

    internal CacheTable(TableCore core) : base(core)
    {
        var comparer = (IEqualityComparer<TKey>?)core.KeyComparer;
        _keys = new KeyCodec<TKey>(core.Pile, core.Hash, comparer, core.CopyKeys);
        _flights = new FlightTable<TKey, TValue>(this, comparer);
    }

    /// <summary>Tells of entries that were evicted or expired: in batches, a little later, and on a thread of the pool.</summary>
    /// <remarks>
    /// A listener that throws is logged. One that is slower than the table loses what is more than some ten thousands behind.
    /// </remarks>
    [SuppressMessage("Design", "CA1003", Justification = "A batch is no object that a sender would be of interest for.")]
    public event Action<IReadOnlyList<RemovedEntry<TKey>>> EntriesRemoved
    {
        add => AddListener(value);
        remove => RemoveListener(value);
    }

    /// <inheritdoc/>
    public override Type KeyType => typeof(TKey);

    internal KeyCodec<TKey> KeyCodec => _keys;

    private void AddListener(Action<IReadOnlyList<RemovedEntry<TKey>>> listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        lock (_listeners)
        {
            if (_listeners.ContainsKey(listener))
                return;
            Action<IReadOnlyList<RawRemoval>> raw = batch => Tell(listener, batch);
            _listeners[listener] = raw;
            Core.Events.Subscribe(raw);
        }
    }

    private void RemoveListener(Action<IReadOnlyList<RemovedEntry<TKey>>> listener)
    {
        lock (_listeners)
        {
            if (_listeners.Remove(listener, out Action<IReadOnlyList<RawRemoval>>? raw))
                Core.Events.Unsubscribe(raw);
        }
    }

    // A key that can't be read is left out, and noted; the others are told of all the same.
    private void Tell(Action<IReadOnlyList<RemovedEntry<TKey>>> listener, IReadOnlyList<RawRemoval> batch)
    {
        var removed = new List<RemovedEntry<TKey>>(batch.Count);
        foreach (RawRemoval raw in batch)
        {
            Core.Pile.Background.TryRun(
                $"the reading of the key of a removed entry of the table '{Name}'",
                () => removed.Add(new RemovedEntry<TKey>(_keys.Decode(raw.Key), raw.Info, raw.Reason)));
        }
        if (removed.Count != 0)
            listener(removed);
    }
}
