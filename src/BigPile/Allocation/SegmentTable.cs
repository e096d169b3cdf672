using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>The segments by number, and those that were dropped while readers may still use them.</summary>
/// <remarks>
/// Thread safety: all members need the pool's lock, except <see cref="End"/>, <see cref="Of"/> and <see cref="Find"/>. Invariant: each of
/// the three byte counters is the sum over all segments here, those included that are withdrawn and not yet forgotten.
/// </remarks>
internal sealed unsafe class SegmentTable
{
    private const int MostUncertain = 100; // numbers that can't be used, until the store itself is taken to fail

    private readonly SegmentMap _map; // where readers find segments
    private readonly Lock _lock;
    private readonly Segment?[] _segments; // by number; a segment that spans several has each of them; written under the lock
    private readonly int _numberShift; // from an address to a segment number
    private readonly List<Segment> _dropped = []; // dropped, not yet taken
    private int _end; // one past the highest number that was ever in use; written under the lock

    internal SegmentTable(SegmentMap map, Lock poolLock)
    {
        _map = map;
        _lock = poolLock;
        _segments = new Segment?[map.Capacity];
        _numberShift = BitOperations.Log2(UnitsPerNumber);
    }

    internal long ReservedBytes { get; private set; }

    internal long HeadBytes { get; private set; }

    internal long RecordBytes { get; private set; }

    /// <summary>One past the highest number that was ever in use.</summary>
    internal int End => Volatile.Read(ref _end);

    internal long PagesPerNumber => _map.SegmentBytes / SizeClasses.PageBytes;

    /// <summary>How many segments were dropped and not taken yet.</summary>
    internal int DroppedCount => _dropped.Count;

    private ulong UnitsPerNumber => (ulong)(_map.SegmentBytes / SizeClasses.GranuleBytes);

    /// <summary>The segment in use whose first number this is, if there is one.</summary>
    internal Segment? StartingAt(int number) =>
        _segments[number] is { IsWithdrawn: false } segment && segment.Number == number ? segment : null;

    internal Segment Of(PageMeta* meta) => _segments[meta->FirstAddress / UnitsPerNumber]!;

    /// <summary>The segment in use that an address lies in, if there is one.</summary>
    internal Segment? Find(ulong address)
    {
        Segment? segment = Volatile.Read(ref _segments[address >> _numberShift]);
        return segment is { IsWithdrawn: false } && segment.OffsetOf(address) < segment.Region.LengthBytes ? segment : null;
    }

    internal bool IsInUse(Segment segment) => !segment.IsWithdrawn && ReferenceEquals(_segments[segment.Number], segment);

    /// <summary>The segments in use, by number.</summary>
    internal List<Segment> All()
    {
        var all = new List<Segment>();
        for (int number = 0; number < _end; number++)
        {
            if (StartingAt(number) is { } segment)
                all.Add(segment);
        }
        return all;
    }

    internal int Count()
    {
        int count = 0;
        for (int number = 0; number < _end; number++)
        {
            if (StartingAt(number) != null)
                count++;
        }
        return count;
    }

    /// <summary>How many numbers a segment takes.</summary>
    internal int SpansOf(Segment segment) => (int)((segment.PageCount + PagesPerNumber - 1) / PagesPerNumber);

    /// <summary>The lowest free consecutive numbers; with high generations only if there are no others; -1 when there are none.</summary>
    /// <exception cref="IOException">Of many the store can't tell whether they are free.</exception>
    internal int FreeNumber(int spans, SegmentGenerations generations, SegmentStore store)
    {
        int number = FreeNumber(spans, generations, store, includeExhausted: false);
        return number >= 0 ? number : FreeNumber(spans, generations, store, includeExhausted: true);
    }

    /// <summary>Adds a segment.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="isShared">Whether another process writes it: then it is found here only, by one store, and not in the map.</param>
    internal void Add(Segment segment, bool isShared)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (_segments[segment.Number] is { } replaced && replaced.Number == segment.Number)
            Keep(replaced);
        int spans = SpansOf(segment);
        for (int i = 0; i < spans; i++)
        {
            Volatile.Write(ref _segments[segment.Number + i], segment);
            if (!isShared)
                MapSpan(segment, i);
        }
        _end = Math.Max(_end, segment.Number + spans);
        ReservedBytes += segment.Region.LengthBytes;
        HeadBytes += HeadBytesOf(segment);
        RecordBytes += segment.RecordBytes;
    }

    /// <summary>Removes a segment that readers may still use. Its memory stays until quiescence.</summary>
    internal void Drop(Segment segment)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "The pool's lock is needed.");
        for (int number = segment.Number; number < _end; number++)
        {
            if (ReferenceEquals(_segments[number], segment))
                Volatile.Write(ref _segments[number], null);
        }
        RecordBytes -= segment.RecordBytes;
        Keep(segment);
    }

    /// <summary>The segments that were dropped since the last call.</summary>
    internal Segment[] TakeDropped()
    {
        Segment[] dropped = [.. _dropped];
        _dropped.Clear();
        return dropped;
    }

    /// <summary>Clears a segment's entries in the map; its numbers stay taken.</summary>
    internal void Unmap(Segment segment)
    {
        Debug.Assert(segment.IsWithdrawn, "Pages of it may be in use.");
        for (int number = segment.Number; number < _end; number++)
        {
            if (ReferenceEquals(_segments[number], segment))
                _map.Clear(number);
        }
    }

    /// <summary>Frees the numbers of a segment whose memory is freed.</summary>
    internal void Forget(Segment segment)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread, "The pool's lock is needed.");
        for (int number = 0; number < _segments.Length; number++)
        {
            if (ReferenceEquals(_segments[number], segment))
                _segments[number] = null;
        }
        ReservedBytes -= segment.Region.LengthBytes;
        HeadBytes -= HeadBytesOf(segment);
        RecordBytes -= segment.RecordBytes;
        Debug.Assert(ReservedBytes >= 0 && HeadBytes >= 0 && RecordBytes >= 0, "More was given back than was taken.");
    }

    /// <summary>Checks that each segment has its numbers, and that the map leads to its memory.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "SegmentTable";
        long reservedBytes = 0;
        long headBytes = 0;
        long recordBytes = 0;
        for (int number = 0; number < Math.Min(_end + 1, _segments.Length); number++)
        {
            if (_segments[number] is not { } segment)
            {
                _map.CheckInvariants(number, null, null, null, 0);
                continue;
            }
            int span = number - segment.Number;
            Invariant.Between(Structure, number, "place among the numbers of its segment", span, 0, SpansOf(segment) - 1);
            Invariant.Between(Structure, number, "number in use", number, 0, _end - 1);
            CheckMapped(segment, span);
            if (span != 0)
                continue;
            reservedBytes += segment.Region.LengthBytes;
            headBytes += HeadBytesOf(segment);
            recordBytes += segment.RecordBytes;
        }
        Invariant.Equal(Structure, _end, "bytes reserved", ReservedBytes, reservedBytes);
        Invariant.Equal(Structure, _end, "bytes of heads", HeadBytes, headBytes);
        Invariant.Equal(Structure, _end, "bytes of records", RecordBytes, recordBytes);
    }

    /// <summary>All pages except head pages of the segments that are withdrawn and not forgotten.</summary>
    internal long CountWithdrawnPages()
    {
        long pages = 0;
        for (int number = 0; number < _end; number++)
        {
            if (_segments[number] is { IsWithdrawn: true } segment && segment.Number == number)
                pages += segment.PageCount - segment.HeadPages;
        }
        return pages;
    }

    private void CheckMapped(Segment segment, int span)
    {
        long offsetBytes = span * _map.SegmentBytes;
        long firstPage = span * PagesPerNumber;
        long lengthBytes = segment.IsWithdrawn ? 0 : Math.Min(_map.SegmentBytes, segment.Region.LengthBytes - offsetBytes);
        _map.CheckInvariants(
            segment.Number + span, segment.Region.Start + offsetBytes, segment.Infos + firstPage, segment.Metas + firstPage, lengthBytes);
    }

    private static long HeadBytesOf(Segment segment) => (long)segment.HeadPages * SizeClasses.PageBytes;

    private void MapSpan(Segment segment, int span)
    {
        long offsetBytes = span * _map.SegmentBytes;
        long firstPage = span * PagesPerNumber;
        _map.Set(
            segment.Number + span, segment.Region.Start + offsetBytes, segment.Infos + firstPage, segment.Metas + firstPage,
            Math.Min(_map.SegmentBytes, segment.Region.LengthBytes - offsetBytes));
    }

    private void Keep(Segment replaced)
    {
        _dropped.Add(replaced);
        ReservedBytes -= replaced.Region.LengthBytes;
        HeadBytes -= HeadBytesOf(replaced);
    }

    private int FreeNumber(int spans, SegmentGenerations generations, SegmentStore store, bool includeExhausted)
    {
        int free = 0;
        int uncertain = 0;
        for (int number = 0; number < _segments.Length; number++)
        {
            bool mayBeUsed = _segments[number] == null && (includeExhausted || generations.IsPreferred(number));
            try
            {
                free = mayBeUsed && store.IsFree(number) ? free + 1 : 0;
            }
            catch (IOException) when (++uncertain < MostUncertain)
            {
                free = 0; // what is in its way is no reason to refuse all of them
            }
            if (free == spans)
                return number - spans + 1;
        }
        return -1;
    }
}
