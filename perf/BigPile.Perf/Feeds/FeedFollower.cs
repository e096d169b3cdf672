using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Feeds;

/// <summary>A reader that follows a table's changes on a thread of its own.</summary>
/// <remarks>Thread safety: all members may be called concurrently, but <see cref="Lags"/> only while it has nothing to read.</remarks>
internal sealed class FeedFollower<TKey> : IFeedFollower, IDisposable
    where TKey : notnull
{
    private readonly CacheTable<TKey, byte[]> _table;
    private readonly ConcurrentQueue<(ulong Version, long At)> _expected = new(); // locked to wait for what follows
    private readonly CancellationTokenSource _stop = new();
    private readonly Thread _thread;
    private long _delivered;
    private long _gaps;
    private ulong _version; // all changes up to it were delivered
    private readonly long _firstAt; // timestamps: of the start, and of the last batch
    private long _lastAt;
    private Exception? _failure;

    internal FeedFollower(CacheTable<TKey, byte[]> table, FeedCursor from)
    {
        _table = table;
        Cursor = from;
        _firstAt = Stopwatch.GetTimestamp();
        _thread = new Thread(Run) { IsBackground = true };
        _thread.Start();
        // From here on: what is put before it has begun is not told to one that begins now.
        SpinWait.SpinUntil(() => table.Statistics.FeedReaders != 0 || Volatile.Read(ref _failure) != null);
    }

    /// <summary>Where it is; only once it has ended, or has nothing to read.</summary>
    internal FeedCursor Cursor { get; private set; }

    /// <summary>From its start to its last batch.</summary>
    internal double Seconds => Stopwatch.GetElapsedTime(_firstAt, Volatile.Read(ref _lastAt)).TotalSeconds;

    public long Delivered => Volatile.Read(ref _delivered);

    public long Gaps => Volatile.Read(ref _gaps);

    public LatencyHistogram Lags { get; } = new();

    /// <summary>The put with this version has just returned: takes the time until the change is delivered.</summary>
    internal void Expect(ulong version) => _expected.Enqueue((version, Stopwatch.GetTimestamp()));

    public void WaitFor(ulong version)
    {
        lock (_expected)
        {
            while (_version < version && _failure == null)
                Monitor.Wait(_expected);
        }
        if (_failure != null)
            throw new LoadException($"The reader of changes failed: {_failure.Message}");
    }

    /// <summary>Ends it; again does nothing.</summary>
    public void Dispose()
    {
        _stop.Cancel();
        _thread.Join();
    }

    private void Run()
    {
        try
        {
            IAsyncEnumerator<ChangeBatch<TKey, byte[]>> batches =
                _table.Changes(Cursor, new ChangeOptions(), _stop.Token).GetAsyncEnumerator();
            while (Next(batches))
                Take(batches.Current);
        }
        catch (OperationCanceledException)
        {
            // the end
        }
        catch (Exception e)
        {
            lock (_expected)
            {
                _failure = e;
                Monitor.PulseAll(_expected);
            }
        }
    }

    // Batches that are ready are made on this thread.
    private static bool Next(IAsyncEnumerator<ChangeBatch<TKey, byte[]>> batches)
    {
        ValueTask<bool> next = batches.MoveNextAsync();
        return next.IsCompleted ? next.Result : next.AsTask().GetAwaiter().GetResult();
    }

    private void Take(ChangeBatch<TKey, byte[]> batch)
    {
        if (batch.Kind == ChangeBatchKind.Gap)
            _gaps++;
        if (batch.Kind == ChangeBatchKind.Changes)
            Volatile.Write(ref _delivered, _delivered + batch.Changes.Count);
        long now = Stopwatch.GetTimestamp();
        while (_expected.TryPeek(out (ulong Version, long At) put) && put.Version <= batch.Cursor.Version && _expected.TryDequeue(out put))
            Lags.Add((long)Stopwatch.GetElapsedTime(put.At, now).TotalNanoseconds);
        Cursor = batch.Cursor;
        Volatile.Write(ref _lastAt, now);
        lock (_expected)
        {
            _version = batch.Cursor.Version;
            Monitor.PulseAll(_expected);
        }
    }
}

/// <summary>The same for keys of any type.</summary>
internal interface IFeedFollower
{
    /// <summary>The changes so far.</summary>
    long Delivered { get; }

    /// <summary>How often it was told that it has missed some.</summary>
    long Gaps { get; }

    /// <summary>Times from the return of a put to the delivery of its change.</summary>
    LatencyHistogram Lags { get; }

    /// <summary>Waits until the changes up to a version are delivered.</summary>
    void WaitFor(ulong version);
}
