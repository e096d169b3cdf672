using System;
using System.Buffers.Binary;
using System.Threading;
using BigPile.Hash.Format;

namespace BigPile.Hash.Records;

/// <summary>All buckets in memory, 8 bytes each: for files of which each read is a call to the system. Each write goes to both.</summary>
internal sealed class BucketCache
{
    /// <summary>With more buckets than this they are read from the file, since they would take too much memory: 128 MiB.</summary>
    internal const long MostBuckets = 1 << 24;

    private const int PartBytes = 1 << 20;

    private readonly long[] _buckets;
    private readonly int _widthShift;

    private BucketCache(FileLayout layout)
    {
        _buckets = new long[layout.Buckets];
        _widthShift = layout.OffsetWidth == sizeof(long) ? 3 : 2;
    }

    /// <summary>Reads all of them. Nobody changes one meanwhile.</summary>
    internal static BucketCache Load(RecordFile file)
    {
        var cache = new BucketCache(file.Layout);
        ReadAll(file, cache.Write);
        return cache;
    }

    /// <summary>Hands out all links of buckets, and where they lead, as the file has them. Nobody changes one meanwhile.</summary>
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

    private int IndexOf(long link) => (int)((link - FileLayout.HeadBytes) >> _widthShift);
}
