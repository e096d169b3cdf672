using System;
using System.Collections.Generic;
using System.Numerics;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Memory;

namespace BigPile.Caching.Persistence;

/// <summary>Chunks in a file that grows: the lines lie behind each other, so that a chunk can be one huge page.</summary>
/// <param name="open">Opens the file, or makes it, when the first chunk is wanted.</param>
/// <param name="preparesChunks">Whether chunks are made and touched ahead.</param>
internal sealed unsafe class FileLines(Func<GrowingMap> open, bool preparesChunks) : LineSource
{
    private const int FirstLines = SystemPageBytes / Bucket.SizeBytes;
    private const int MostChunksAtOnce = 32;
    private const int GrowthShift = 3; // by an eighth

    private readonly Lock _lock = new();
    private readonly List<Mapping> _mappings = [];
    private GrowingMap? _map;
    private bool _isDisposed;

    /// <summary>The bytes of a file with so many lines.</summary>
    internal static long BytesFor(ulong lines) => (long)lines * Bucket.SizeBytes;

    /// <summary>
    /// The bytes that a file with so many lines may have: it grows ahead, and to cut that off an opening would wait for the disk.
    /// </summary>
    internal static long MostBytesFor(ulong lines)
    {
        if (lines <= LinesPerChunk / 2)
            return BytesFor(Math.Max(BitOperations.RoundUpToPowerOf2(lines), FirstLines));
        int behind = (int)((lines - 1) >> ChunkShift) + 1; // it is made once the one before is half used
        return (behind + ChunksAtOnce(behind)) * ChunkBytes;
    }

    /// <summary>The file, if it was opened.</summary>
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

    // The file has it, and whoever takes it again gets the same.
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
        lock (_lock) // who touches a chunk in the background is done with it
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

    /// <summary>Chunks that were mapped together.</summary>
    private readonly record struct Mapping(int First, int Count, nint Start);
}
