using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Threading;
using BigPile.Hash.Format;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Records;

/// <summary>
/// All buckets in memory, 8 bytes each, for files where each read is a system call. Every write goes to the file and to the cache.
/// </summary>
internal sealed class BucketCache
{
    /// <summary>With more buckets than this, 128 MiB of cache, buckets are read from the file instead.</summary>
    internal const long MostBuckets = 1 << 24;

    private const int PartBytes = 1 << 20;

    private readonly long[] _buckets;
    private readonly int _widthShift;

    private BucketCache(FileLayout layout)
    {
        _buckets = new long[layout.Buckets];
        _widthShift = layout.OffsetWidth == sizeof(long) ? 3 : 2;
    }

    /// <summary>Reads all buckets. No bucket may change meanwhile.</summary>
    internal static BucketCache Load(RecordFile file)
    {
        var cache = new BucketCache(file.Layout);
        ReadAll(file, cache.Write);
        return cache;
    }

    /// <summary>Reads all buckets from the file, and passes each bucket's offset and target. No bucket may change meanwhile.</summary>
    internal static void ReadAll(RecordFile file, Action<long, long> take)
    {
        FileLayout layout = file.Layout;
        long end = layout.LinkOf(layout.Buckets);
        var part = new byte[Math.Min(PartBytes, end - FileLayout.HeadBytes)];
        for (long at = FileLayout.HeadBytes; at < end; at += part.Length)
        {
            Span<byte> read = part.AsSpan(0, (int)Math.Min(part.Length, end - at));
            file.File.ReadAt(at, read);
            for (int i = 0; i < read.Length; i += layout.OffsetWidth)
            {
                take(at + i, layout.OffsetWidth == sizeof(long)
                    ? BinaryPrimitives.ReadInt64LittleEndian(read[i..])
                    : (long)BinaryPrimitives.ReadUInt32LittleEndian(read[i..]) << layout.AlignmentShift);
            }
        }
    }

    internal long Read(long link) => Volatile.Read(ref _buckets[IndexOf(link)]);

    internal void Write(long link, long target) => Volatile.Write(ref _buckets[IndexOf(link)], target);

    /// <summary>Checks that each bucket has the file's target; for tests, while no bucket changes.</summary>
    /// <exception cref="InvalidOperationException">One has another.</exception>
    internal void CheckInvariants(RecordFile file)
    {
        Invariant.Equal("BucketCache", 0, "number of buckets", _buckets.Length, file.Layout.Buckets);
        ReadAll(file, (link, target) => Invariant.Equal("BucketCache", link, "target", Read(link), target));
    }

    private int IndexOf(long link)
    {
        int index = (int)((link - FileLayout.HeadBytes) >> _widthShift);
        Debug.Assert(FileLayout.HeadBytes + ((long)index << _widthShift) == link, "A bucket begins at the offset.");
        return index;
    }
}
