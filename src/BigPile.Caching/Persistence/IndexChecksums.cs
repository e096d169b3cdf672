using System;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Layout;

namespace BigPile.Caching.Persistence;

/// <summary>The checksums of a table's index. A clean stop writes them; an opening after a restart of the machine verifies them.</summary>
/// <remarks>
/// <code>
/// bytes  0..3   CRC-32C of all that follows
/// bytes  4..7   binary logarithm of the number of lines of a part
/// bytes  8..11  number of parts
/// bytes 12..15  CRC-32C of the index's head and its counter cells
/// bytes 16..    CRC-32C of each part: those of the buckets, then those of the overflow lines
/// </code>
/// </remarks>
/// <param name="index">The index. No thread changes it meanwhile.</param>
/// <param name="area">The area of the checksums.</param>
internal readonly unsafe struct IndexChecksums(TableIndex index, byte* area)
{
    internal const int AreaBytes = 24 << 10;

    private const int FirstPart = 4;
    private const int LeastShift = 14;
    private const int MostParts = AreaBytes / sizeof(uint) - FirstPart;

    /// <summary>Computes and writes the checksums.</summary>
    internal void Write()
    {
        var words = new Span<uint>(area, AreaBytes / sizeof(uint));
        int shift = ShiftFor(Lines);
        int parts = Compute(shift, words[FirstPart..]);
        words[1] = (uint)shift;
        words[2] = (uint)parts;
        words[3] = HeadChecksum;
        words[0] = Checksum.Of(new ReadOnlySpan<byte>(area + sizeof(uint), (FirstPart - 1 + parts) * sizeof(uint)));
    }

    /// <summary>Whether the index has the checksums that were written.</summary>
    internal bool IsRight()
    {
        var words = new ReadOnlySpan<uint>(area, AreaBytes / sizeof(uint));
        int shift = ShiftFor(Lines);
        if (words[1] != shift || words[2] > MostParts || words[3] != HeadChecksum
            || words[0] != Checksum.Of(new ReadOnlySpan<byte>(area + sizeof(uint), (FirstPart - 1 + (int)words[2]) * sizeof(uint))))
            return false;
        var found = new uint[MostParts];
        int parts = Compute(shift, found);
        return parts == words[2] && words.Slice(FirstPart, parts).SequenceEqual(found.AsSpan(0, parts));
    }

    private ulong Lines => index.BucketCount + index.Overflow.End;

    // Includes the counters: if a device refused them once and was asked again, they may be older than all else.
    private uint HeadChecksum
    {
        get
        {
            uint head = Checksum.Of(new ReadOnlySpan<byte>(index.Head, IndexHead.SizeBytes));
            int cells = (TableCounters.SharedCells + index.Head->OwnCells) * TableCounters.CellBytes;
            return Checksum.Of(new ReadOnlySpan<byte>(index.Storage.Cells, cells), ~head);
        }
    }

    private static int ShiftFor(ulong lines)
    {
        int shift = LeastShift;
        while (lines >> shift > MostParts - 2)
            shift++;
        return shift;
    }

    private int Compute(int shift, Span<uint> checksums)
    {
        int parts = Compute(index.Lines, index.BucketCount, shift, checksums);
        return index.Overflow.Store is { } store ? parts + Compute(store, index.Overflow.End, shift, checksums[parts..]) : parts;
    }

    private static int Compute(LineStore lines, ulong count, int shift, Span<uint> checksums)
    {
        int parts = 0;
        for (ulong line = 0; line < count; line += 1UL << shift)
            checksums[parts++] = ChecksumOf(lines, line, Math.Min(count, line + (1UL << shift)));
        return parts;
    }

    // A part may span chunks, which are not contiguous in memory.
    private static uint ChecksumOf(LineStore lines, ulong line, ulong end)
    {
        uint checksum = 0;
        while (line < end)
        {
            ulong chunkEnd = Math.Min(end, (line | (LineSource.LinesPerChunk - 1)) + 1);
            checksum = Checksum.Of(new ReadOnlySpan<byte>(lines.At(line), (int)(chunkEnd - line) * Bucket.SizeBytes), ~checksum);
            line = chunkEnd;
        }
        return checksum;
    }
}
