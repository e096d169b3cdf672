using System;
using System.Threading;
using BigPile.Http.Protocol;

namespace BigPile.Http.Bulk;

/// <summary>The counters of a load.</summary>
/// <remarks>Thread safety: all members may be called concurrently; skipped lines are reported one at a time.</remarks>
internal sealed class LoadTally(TimeProvider time, Action<long, string> reportSkipped)
{
    private const int MaxReasonLength = 200;

    private readonly Lock _reporting = new();
    private readonly long _started = time.GetTimestamp();
    private long _records;
    private long _bytes;
    private long _replaced;
    private long _expired;
    private long _skipped;

    internal long Records => Volatile.Read(ref _records);

    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Records that replaced an entry with the same key, of this source or older.</summary>
    internal long Replaced => Volatile.Read(ref _replaced);

    /// <summary>Records that had expired before they were loaded.</summary>
    internal long Expired => Volatile.Read(ref _expired);

    internal long Skipped => Volatile.Read(ref _skipped);

    internal TimeSpan Elapsed => time.GetElapsedTime(_started);

    internal void CountRecord(int lengthBytes, bool isReplacement)
    {
        if (isReplacement)
            Interlocked.Increment(ref _replaced);
        Interlocked.Increment(ref _records);
        Interlocked.Add(ref _bytes, lengthBytes);
    }

    internal void CountExpired() => Interlocked.Increment(ref _expired);

    /// <summary>Sets all counters to values that were counted elsewhere.</summary>
    internal void Set(long records, long bytes, long replaced, long expired, long skipped)
    {
        Interlocked.Exchange(ref _records, records);
        Interlocked.Exchange(ref _bytes, bytes);
        Interlocked.Exchange(ref _replaced, replaced);
        Interlocked.Exchange(ref _expired, expired);
        Interlocked.Exchange(ref _skipped, skipped);
    }

    internal void Skip(long lineNumber, string reason)
    {
        Interlocked.Increment(ref _skipped);
        lock (_reporting)
            reportSkipped(lineNumber, ShortText.Of(reason, MaxReasonLength));
    }
}
