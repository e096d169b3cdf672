using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Http.Metrics;

/// <summary>Times requests for entries while a client polls the statistics; otherwise a request costs one load of a flag.</summary>
/// <remarks>
/// The full stack and the fast path both time a request like this:
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
    /// <summary>How long requests are timed after the last <see cref="Poll"/>.</summary>
    internal static readonly TimeSpan WatchTime = TimeSpan.FromSeconds(10);

    private readonly LatencyRecorder _reads = new();
    private readonly LatencyRecorder _writes = new();
    /// <summary>Timestamp of the last poll.</summary>
    private long _polledAt;
    /// <summary>Whether requests are timed; the one flag that each request loads.</summary>
    private volatile bool _isWatched;

    /// <summary>Whether requests are timed now; for tests.</summary>
    internal bool IsWatched => _isWatched;

    /// <summary>Starts timing a request, if the statistics are being polled.</summary>
    internal bool TryBegin(out long started)
    {
        if (!_isWatched)
        {
            started = 0;
            return false;
        }
        started = time.GetTimestamp();
        if (time.GetElapsedTime(Volatile.Read(ref _polledAt), started) > WatchTime)
            // Racing with a poll, this may stop the timing early; the next poll starts it again.
            _isWatched = false;
        return _isWatched;
    }

    /// <summary>Ends what <see cref="TryBegin"/> started.</summary>
    internal void End(long started, bool isRead) =>
        (isRead ? _reads : _writes).Add((long)time.GetElapsedTime(started).TotalNanoseconds);

    /// <summary>Ends it when the response is complete.</summary>
    internal Task EndAsync(long started, bool isRead, Task answer)
    {
        if (!answer.IsCompletedSuccessfully)
            return EndLaterAsync(started, isRead, answer);
        End(started, isRead);
        return answer;
    }

    /// <summary>The times since the last poll. Requests are timed for <see cref="WatchTime"/> from now on.</summary>
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
