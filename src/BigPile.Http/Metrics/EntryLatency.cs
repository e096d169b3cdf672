using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Http.Metrics;

/// <summary>Times requests for entries while somebody looks at the statistics, and otherwise costs one load of a flag.</summary>
/// <remarks>
/// A request is timed like this, on whichever way it is served:
/// <code>
/// bool isTimed = latency.TryBegin(out long started);
/// // …
/// if (isTimed)
///     latency.End(started, isRead);
/// </code>
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class EntryLatency(TimeProvider time)
{
    /// <summary>How long requests are timed after the last look.</summary>
    internal static readonly TimeSpan WatchTime = TimeSpan.FromSeconds(10);

    private readonly LatencyRecorder _reads = new();
    private readonly LatencyRecorder _writes = new();
    private long _polledAt;
    private volatile bool _isWatched;

    /// <summary>Whether requests are timed now; for tests, since the clock is read or not.</summary>
    internal bool IsWatched => _isWatched;

    /// <summary>Begins to time a request, if somebody looks.</summary>
    internal bool TryBegin(out long started)
    {
        if (!_isWatched)
        {
            started = 0;
            return false;
        }
        started = time.GetTimestamp();
        if (time.GetElapsedTime(Volatile.Read(ref _polledAt), started) > WatchTime)
            _isWatched = false;
        return _isWatched;
    }

    /// <summary>Ends what <see cref="TryBegin"/> began.</summary>
    internal void End(long started, bool isRead) =>
        (isRead ? _reads : _writes).Add((long)time.GetElapsedTime(started).TotalNanoseconds);

    /// <summary>Ends it when the answer is complete.</summary>
    internal Task EndAsync(long started, bool isRead, Task answer)
    {
        if (!answer.IsCompletedSuccessfully)
            return EndLaterAsync(started, isRead, answer);
        End(started, isRead);
        return answer;
    }

    /// <summary>What was timed since the last look. From now on, for a while, requests are timed.</summary>
    internal (LatencyReport? Reads, LatencyReport? Writes) Poll()
    {
        Volatile.Write(ref _polledAt, time.GetTimestamp());
        _isWatched = true;
        return (_reads.Take(), _writes.Take());
    }

    private async Task EndLaterAsync(long started, bool isRead, Task answer)
    {
        await answer.ConfigureAwait(false);
        End(started, isRead);
    }
}
