using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;

namespace BigPile.Caching.Events;

/// <summary>Delivers evicted and expired entries to listeners: in batches, in the background.</summary>
/// <remarks>
/// Costs one load while there are no listeners. Events beyond a bounded queue are dropped.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe class EntryEvents(BackgroundWork background, CacheClock clock)
{
    private const int MaxPending = 1 << 16;
    private const int MaxBatch = 1024;

    private ConcurrentQueue<RawRemoval> _pending = null!; // allocated for the first listener
    private Action<IReadOnlyList<RawRemoval>>? _handlers;
    private int _isRunning;

    internal void Subscribe(Action<IReadOnlyList<RawRemoval>> handler) => Change(handlers => handlers + handler);

    internal void Unsubscribe(Action<IReadOnlyList<RawRemoval>> handler) => Change(handlers => handlers - handler);

    /// <summary>Queues an entry whose block is about to be freed.</summary>
    internal void OnRemoved(in EntryHead head, long payloadBytes, Counter reason)
    {
        if (Volatile.Read(ref _handlers) == null || reason is not (Counter.Evictions or Counter.Expirations))
            return;
        if (_pending.Count >= MaxPending)
            return;
        byte[] key = new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray();
        EntryInfo info = clock.Describe(head.Version, (int)(payloadBytes - head.ValueOffset), clock.ExpiryOf(head));
        _pending.Enqueue(new RawRemoval(key, info, reason == Counter.Evictions ? RemovalReason.Evicted : RemovalReason.Expired));
        if (Interlocked.Exchange(ref _isRunning, 1) == 0)
            background.Queue("the delivery of removed entries", Deliver);
    }

    private void Deliver()
    {
        do
        {
            try
            {
                while (!_pending.IsEmpty)
                    DeliverBatch();
            }
            finally
            {
                Volatile.Write(ref _isRunning, 0);
            }
        }
        while (!_pending.IsEmpty && Interlocked.Exchange(ref _isRunning, 1) == 0);
    }

    private void DeliverBatch()
    {
        var batch = new List<RawRemoval>();
        while (batch.Count < MaxBatch && _pending.TryDequeue(out RawRemoval removal))
            batch.Add(removal);
        foreach (Delegate handler in Volatile.Read(ref _handlers)?.GetInvocationList() ?? [])
            background.TryRun("a listener of removed entries", () => ((Action<IReadOnlyList<RawRemoval>>)handler)(batch));
    }

    private void Change(Func<Action<IReadOnlyList<RawRemoval>>?, Action<IReadOnlyList<RawRemoval>>?> change)
    {
        _ = LazyInitializer.EnsureInitialized(ref _pending!, static () => new ConcurrentQueue<RawRemoval>());
        Action<IReadOnlyList<RawRemoval>>? before;
        do
            before = Volatile.Read(ref _handlers);
        while (Interlocked.CompareExchange(ref _handlers, change(before), before) != before);
    }
}

/// <summary>A removed entry with the key as bytes.</summary>
internal readonly record struct RawRemoval(byte[] Key, EntryInfo Info, RemovalReason Reason);
