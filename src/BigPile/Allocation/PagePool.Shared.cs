using System.Threading;

namespace BigPile.Allocation;

/// <summary>Segments that another process writes, and gives back when it likes.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Takes a segment away from readers. Its memory stays until those that are inside have left.</summary>
    internal void Drop(Segment segment)
    {
        lock (_lock)
        {
            for (int i = segment.Number; i < _segmentsEnd; i++)
            {
                if (ReferenceEquals(_segments[i], segment))
                    Volatile.Write(ref _segments[i], null);
            }
            RecordBytes -= segment.RecordBytes;
            KeepReplacedLocked(segment);
        }
    }

    /// <summary>The segments that were dropped since the last call. They are the caller's to free once no reader can be inside.</summary>
    internal Segment[] TakeDropped()
    {
        lock (_lock)
        {
            Segment[] dropped = [.. _replaced];
            _replaced.Clear();
            return dropped;
        }
    }

    /// <summary>How many segments were dropped and not freed yet.</summary>
    internal int DroppedCount
    {
        get
        {
            lock (_lock)
                return _replaced.Count;
        }
    }
}
