using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Typed;

/// <summary>The listeners for evicted and expired entries: one reader of the table's changes for all.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class RemovalListeners<TKey, TValue>(TypedTable<TKey, TValue> table)
    where TKey : notnull
{
    private readonly Lock _lock = new(); // guards what follows
    private readonly List<Action<IReadOnlyList<RemovedEntry<TKey>>>> _listeners = [];
    private CancellationTokenSource? _reading; // null: nobody listens

    internal void Add(Action<IReadOnlyList<RemovedEntry<TKey>>> listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        lock (_lock)
        {
            if (_listeners.Contains(listener))
                return;
            if (_reading == null)
                BeginLocked();
            _listeners.Add(listener);
        }
    }

    internal void Remove(Action<IReadOnlyList<RemovedEntry<TKey>>> listener)
    {
        ArgumentNullException.ThrowIfNull(listener);
        lock (_lock)
        {
            if (!_listeners.Remove(listener) || _listeners.Count != 0)
                return;
            _reading!.Cancel();
            _reading = null;
        }
    }

    // At once, so that what goes behind this call is told.
    private void BeginLocked()
    {
        new FeedSwitch(table.Core).BeginListening();
        var reader = new ChangeReader<TKey, TValue>(table, new ChangeOptions { OnlyGone = true });
        _ = reader.TryBegin(FeedCursor.Now);
        _reading = new CancellationTokenSource();
        _ = ReadAsync(reader, _reading.Token);
    }

    [SuppressMessage("Design", "CA1031", Justification = "No caller could catch it.")]
    private async Task ReadAsync(ChangeReader<TKey, TValue> reader, CancellationToken stop)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        using (reader)
        {
            try
            {
                await foreach (ChangeBatch<TKey, TValue> batch in reader.ReadAsync(FeedCursor.Now, stop).ConfigureAwait(false))
                    Deliver(batch);
            }
            catch (OperationCanceledException)
            {
                // the last listener has gone
            }
            catch (Exception) when (table.Core.IsClosed)
            {
                // so has the table
            }
            catch (Exception e)
            {
                table.Core.Heap.Background.ReportFailure($"the reading of removed entries of the table '{table.Core.Name}'", e);
            }
        }
    }

    private void Deliver(ChangeBatch<TKey, TValue> batch)
    {
        if (batch.Kind == ChangeBatchKind.Gap)
        {
            table.Core.Heap.Logger.LogWarning(
                "Listeners of EntriesRemoved of the table '{Table}' were too slow, and have missed entries. TableOptions.FeedBytes gives "
                + "them more time", table.Core.Name);
            return;
        }
        var removed = new List<RemovedEntry<TKey>>();
        foreach (Change<TKey, TValue> change in batch.Changes)
        {
            removed.Add(new RemovedEntry<TKey>(
                change.Key, change.Info, change.Kind == ChangeKind.Evicted ? RemovalReason.Evicted : RemovalReason.Expired));
        }
        if (removed.Count == 0)
            return;
        Action<IReadOnlyList<RemovedEntry<TKey>>>[] listeners;
        lock (_lock)
            listeners = [.. _listeners];
        foreach (Action<IReadOnlyList<RemovedEntry<TKey>>> listener in listeners)
            table.Core.Heap.Background.TryRun("a listener of removed entries", () => listener(removed));
    }
}
