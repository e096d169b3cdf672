using System;
using System.Collections.Generic;
using System.Numerics;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>Allocates chunks in a growing file. The lines are contiguous, so a chunk can be one huge page.</summary>
/// <param name="open">Opens or creates the file; called for the first chunk.</param>
/// <param name="preparesChunks">Whether chunks are made and touched ahead of use.</param>
internal sealed unsafe class FileLines(Func<GrowingMap> open, bool preparesChunks) : LineSource
{
    private const int FirstLines = SystemPageBytes / Bucket.SizeBytes;
    private const int MostChunksAtOnce = 32;
    private const int GrowthShift = 3; // by an eighth

    private readonly Lock _lock = new(); // guards the stores to all fields
    private readonly List<Mapping> _mappings = []; // chunks behind the file's first mapping
    private GrowingMap? _map;
    private bool _isDisposed;

    internal static long BytesFor(ulong lines) => (long)lines * Bucket.SizeBytes;

    /// <summary>
    /// The most bytes of a file with so many lines. It grows ahead, and an opening does not cut it, as that would wait for the disk.
    /// </summary>
    internal static long MostBytesFor(ulong lines)
    {
        if (lines <= LinesPerChunk / 2)
            return BytesFor(Math.Max(BitOperations.RoundUpToPowerOf2(lines), FirstLines));
        int behind = (int)((lines - 1) >> ChunkShift) + 1; // the next chunk, made once the one before is half used
        return (behind + ChunksAtOnce(behind)) * ChunkBytes;
    }

    /// <summary>The file; null until the first chunk is taken.</summary>
    internal GrowingMap? Map => Volatile.Read(ref _map);

    internal override bool HasLargePages => preparesChunks;

    internal override ulong LinesInFirst =>
        Map is { } map ? Math.Min(LinesPerChunk, (ulong)map.LengthBytes / Bucket.SizeBytes) : 0;

    internal override bool MayHave(ulong line) => Map is { } map && map.LengthBytes >= BytesFor(line + 1);

    internal override byte* Take(int chunk, bool touches)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            GrowingMap map = _map ??= open();
            byte* start = Find(map, chunk);
            if (touches && chunk != 0)
                Touch(start);
            return start;
        }
    }

    // Nothing to return: the file keeps the chunk, and Take returns it again.
    internal override void GiveBack(int chunk, byte* start)
    {
    }

    internal override void EnsureInFirst(ulong lines)
    {
        if (lines <= LinesInFirst)
            return;
        ulong wanted = Math.Clamp(BitOperations.RoundUpToPowerOf2(lines), FirstLines, LinesPerChunk);
        Map!.EnsureLength(BytesFor(wanted));
    }

    public override void Dispose()
    {
        lock (_lock) // waits for a background thread that touches a chunk
        {
            _isDisposed = true;
            _map?.Dispose();
        }
    }

    private byte* Find(GrowingMap map, int chunk)
    {
        long offset = chunk * ChunkBytes;
        if (offset + ChunkBytes <= map.MappedBytes)
            return map.Start + offset;
        foreach (Mapping mapping in _mappings)
        {
            if (chunk >= mapping.First && chunk < mapping.First + mapping.Count)
                return (byte*)mapping.Start + (chunk - mapping.First) * ChunkBytes;
        }
        int count = ChunksAtOnce(chunk);
        map.EnsureLength(offset + count * ChunkBytes);
        byte* start = map.MapBehind(offset, count * ChunkBytes);
        _mappings.Add(new Mapping(chunk, count, (nint)start));
        return start;
    }

    private static int ChunksAtOnce(int chunk) => Math.Clamp(chunk >> GrowthShift, 1, MostChunksAtOnce);

    /// <summary>A range of chunks that were mapped together.</summary>
    private readonly record struct Mapping(int First, int Count, nint Start);
}
