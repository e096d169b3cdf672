using System;
using System.Threading;

namespace BigPile.Server.Loading;

/// <summary>Counts what a load did.</summary>
/// <remarks>Thread safety: all members may be called concurrently; skipped lines are reported one at a time.</remarks>
internal sealed class LoadTally(TimeProvider time, Action<long, string> reportSkipped)
{
    private readonly Lock _reporting = new();
    private readonly long _started = time.GetTimestamp();
    private long _records;
    private long _bytes;
    private long _replaced;
    private long _skipped;

    internal long Records => Interlocked.Read(ref _records);

    /// <summary>The bytes of the records.</summary>
    internal long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Records that took the place of an entry with the same key, from the same file or from before.</summary>
    internal long Replaced => Interlocked.Read(ref _replaced);

    internal long Skipped => Interlocked.Read(ref _skipped);

    internal TimeSpan Elapsed => time.GetElapsedTime(_started);

    internal void CountRecord(int lengthBytes, bool isReplacement)
    {
        if (isReplacement)
            Interlocked.Increment(ref _replaced);
        Interlocked.Increment(ref _records);
        Interlocked.Add(ref _bytes, lengthBytes);
    }

    internal void Skip(long lineNumber, string reason)
    {
        Interlocked.Increment(ref _skipped);
        lock (_reporting)
            reportSkipped(lineNumber, reason);
    }
}
