using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>An immutable snapshot of the writer's stripes and segments, with the change count at which it was taken.</summary>
internal sealed unsafe class WriterSnapshot
{
    // The change count in the stripe file, written by the owner.
    private readonly ulong* _changesAt;
    // Its value when the snapshot was taken.
    private readonly ulong _changes;
    private readonly int _numberShift; // address >> this: the segment number
    private readonly SegmentSpan[] _spans; // by segment number; never changed

    /// <summary>Takes a snapshot of segments that stay mapped while a critical region may use it.</summary>
    internal WriterSnapshot(StripeFile file, ulong changes, long segmentBytes, IReadOnlyCollection<Segment> segments)
    {
        _changesAt = file.ChangesAt;
        _changes = changes;
        _numberShift = BitOperations.Log2((ulong)segmentBytes / SizeClasses.GranuleBytes);
        Stripes = file.Stripes;
        _spans = SpansOf(segments, segmentBytes);
    }

    internal SeqLockStripes Stripes { get; }

    internal ulong Changes => _changes;

    internal bool IsCurrent
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref *_changesAt) == _changes;
    }

    /// <summary>Whether an owner is recovering the pile, or was killed while doing so.</summary>
    internal bool IsRecovering => (_changes & 1) != 0;

    /// <summary>Finds the memory behind an address.</summary>
    /// <param name="address">Any address.</param>
    /// <param name="block">Its memory.</param>
    /// <param name="wordAt">Its page's word.</param>
    /// <param name="bytesLeft">The bytes from there to the end of the segment.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryFind(ulong address, out byte* block, out ulong* wordAt, out long bytesLeft)
    {
        ulong number = address >> _numberShift;
        ulong unit = address - (number << _numberShift);
        SegmentSpan span = number < (ulong)_spans.Length ? _spans[number] : default;
        block = span.Start + unit * SizeClasses.GranuleBytes; // of a default span not to be used: bytesLeft is then not positive
        wordAt = span.Words + (unit >> SegmentMap.PageShift);
        bytesLeft = span.LengthBytes - (long)unit * SizeClasses.GranuleBytes;
        return bytesLeft > 0;
    }

    private static SegmentSpan[] SpansOf(IReadOnlyCollection<Segment> segments, long segmentBytes)
    {
        var spans = new List<SegmentSpan>();
        foreach (Segment segment in segments)
        {
            long lengthBytes = segment.Region.LengthBytes;
            for (long from = 0, number = segment.Number; from < lengthBytes; from += segmentBytes, number++)
            {
                while (spans.Count <= number)
                    spans.Add(default);
                Debug.Assert(spans[(int)number].Start == null, "A number is one segment's.");
                spans[(int)number] = new SegmentSpan(
                    segment.Region.Start + from, segment.Words + from / SizeClasses.PageBytes, lengthBytes - from);
            }
        }
        return [.. spans];
    }

    /// <summary>The memory of one segment number.</summary>
    /// <param name="start">Its first byte.</param>
    /// <param name="words">The words of its pages.</param>
    /// <param name="lengthBytes">The bytes from there to the end of the segment; 0 if there is no segment.</param>
    private readonly struct SegmentSpan(byte* start, ulong* words, long lengthBytes)
    {
        internal readonly byte* Start = start;
        internal readonly ulong* Words = words;
        internal readonly long LengthBytes = lengthBytes;
    }
}
