using System;
using System.Threading;
using BigPile.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Reporting;

/// <summary>Counts the puts that a full pile refuses, and logs at most one line a minute: the first at once.</summary>
/// <remarks>
/// There is no timer: a line is due with a refusal, a sweep of tables or the closing, a minute after the last one. It is logged in the
/// background, as a put is refused within critical regions and locks too. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class Refusals(BackgroundWork background, ILogger logger, TimeProvider time)
{
    /// <summary>The time between two lines; so long is a pile in trouble that has refused a put.</summary>
    internal static readonly TimeSpan Period = TimeSpan.FromMinutes(1);

    private readonly Lock _lock = new(); // guards what follows; held for a few instructions
    private Refusal? _last; // read without the lock
    private long _said; // of the refusals, so many were logged
    private long? _saidAt; // the timestamp of the last line
    private long _unsaidSince; // the timestamp of the first refusal after it
    private bool _isQueued; // a line is about to be logged

    /// <summary>The refusals since the pile was opened; null: there was none.</summary>
    internal Refusal? Last => Volatile.Read(ref _last);

    /// <summary>How many puts were refused since the pile was opened.</summary>
    internal long Count => Last?.Number ?? 0;

    /// <summary>How many of them the log has.</summary>
    internal long Said
    {
        get
        {
            lock (_lock)
                return _said;
        }
    }

    /// <summary>The time since a refusal.</summary>
    internal TimeSpan AgeOf(Refusal refusal) => time.GetElapsedTime(refusal.Timestamp);

    /// <summary>Counts a put that is refused. Takes no other lock, and calls the clock only.</summary>
    internal void Record(PileFullException refused)
    {
        (long now, DateTimeOffset at) = (time.GetTimestamp(), time.GetUtcNow());
        lock (_lock)
        {
            if (Count == _said)
                _unsaidSince = now;
            Volatile.Write(ref _last, new Refusal(Count + 1, at, now, refused.Message));
            if (_isQueued || !IsDueLocked(now))
                return;
            _isQueued = true;
        }
        background.Queue("the report of refused puts", () => Say());
    }

    /// <summary>Logs what is due. The caller holds no lock, and is outside of critical regions.</summary>
    /// <param name="isClosing">Whether the rest is due, too.</param>
    internal void Say(bool isClosing = false)
    {
        long now = time.GetTimestamp();
        Refusal last;
        long count;
        TimeSpan since;
        lock (_lock)
        {
            if (_last == null || _last.Number == _said || (!isClosing && !IsDueLocked(now)))
                return;
            last = _last;
            count = last.Number - _said;
            since = time.GetElapsedTime(_unsaidSince, now);
            (_said, _saidAt, _isQueued) = (last.Number, now, false);
        }
        if (count == 1)
            logger.LogWarning("A put was refused as the pile is full: {Reason}", last.Reason);
        else
            logger.LogWarning(
                "{Count:N0} puts were refused in the last {Seconds:N0} s as the pile is full. The last: {Reason}", count,
                Math.Ceiling(since.TotalSeconds), last.Reason);
    }

    private bool IsDueLocked(long now) => _saidAt is not { } saidAt || time.GetElapsedTime(saidAt, now) >= Period;
}

/// <summary>A put that was refused.</summary>
/// <param name="Number">How many there were since the pile was opened, this one included.</param>
/// <param name="At">When.</param>
/// <param name="Timestamp">The same on the monotonic clock.</param>
/// <param name="Reason">Why, and the remedy.</param>
internal sealed record Refusal(long Number, DateTimeOffset At, long Timestamp, string Reason);
