using System;
using System.Threading;

namespace BigPile.Perf.Pauses;

/// <summary>Measures the longest pause of the garbage collector, from the runtime's data on each collection.</summary>
/// <remarks>
/// The runtime reports only the last collection of each kind. So workers sample every few microseconds; of two collections of one kind
/// between two samples, the earlier one's pause is lost. Thread safety: all members, from any number of threads.
/// </remarks>
internal sealed class PauseMeter
{
    private static readonly GCKind[] Kinds = [GCKind.Ephemeral, GCKind.Background, GCKind.FullBlocking];

    private readonly Lock _lock = new();
    private readonly long[] _lastIndex = new long[Kinds.Length];
    private readonly int _firstCount = GC.CollectionCount(0);
    private int _lastCount = GC.CollectionCount(0);
    private TimeSpan _longest;

    internal PauseMeter()
    {
        for (int i = 0; i < Kinds.Length; i++)
            _lastIndex[i] = GC.GetGCMemoryInfo(Kinds[i]).Index;
    }

    /// <summary>The longest pause that was seen, in milliseconds.</summary>
    internal double LongestMs
    {
        get
        {
            lock (_lock)
            {
                TakeLocked(); // a background collection is reported when it ends, after others that began later
                return _longest.TotalMilliseconds;
            }
        }
    }

    /// <summary>The collections of any kind.</summary>
    internal int Collections => GC.CollectionCount(0) - _firstCount;

    /// <summary>Samples; costs a few nanoseconds when there was no collection.</summary>
    internal void Sample()
    {
        if (GC.CollectionCount(0) == Volatile.Read(ref _lastCount))
            return;
        lock (_lock)
        {
            Volatile.Write(ref _lastCount, GC.CollectionCount(0));
            TakeLocked();
        }
    }

    private void TakeLocked()
    {
        for (int i = 0; i < Kinds.Length; i++)
        {
            GCMemoryInfo info = GC.GetGCMemoryInfo(Kinds[i]);
            if (info.Index <= _lastIndex[i])
                continue;
            _lastIndex[i] = info.Index;
            foreach (TimeSpan pause in info.PauseDurations)
                _longest = pause > _longest ? pause : _longest;
        }
    }
}
