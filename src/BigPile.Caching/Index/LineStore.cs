using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Caching.Index;

/// <summary>Cache lines by number, in chunks of unmanaged memory that never move.</summary>
/// <remarks>
/// The first chunk takes pages as they are touched, so that a small table is small; the others are huge pages. A chunk is made and
/// touched by a background thread while the one before it fills: the first touch of a huge page takes longer than a put may. Pages are
/// touched by stores; populating them by a call holds a lock of the process meanwhile. Lines that are few and used here and there may
/// stay without huge pages: then all chunks are like the first one.
/// </remarks>
/// <param name="hugePages">Whether chunks behind the first one are huge pages.</param>
internal sealed unsafe class LineStore(bool hugePages) : IDisposable
{
    private const int ChunkShift = 15;
    private const int LinesPerChunk = 1 << ChunkShift;
    private const long ChunkBytes = (long)LinesPerChunk * Bucket.SizeBytes;
    private const int MaxChunks = 1 << 16;
    private const int SystemPageBytes = 4096;
    private const int FirstCapacity = 2;

    private readonly Lock _growing = new();
    private readonly List<nint> _outgrown = []; // lists of chunks that readers may still look at
    private NativeRegion?[] _regions = [];
    private byte** _chunks = NewChunks(FirstCapacity);
    private int _capacity = FirstCapacity;
    private int _preparedChunks;
    private int _madeChunks;
    private bool _isDisposed;

    /// <summary>
    /// The bytes of memory that the store takes for its first lines: touched pages of the first chunk, and other chunks whole.
    /// </summary>
    internal long SizeBytesFor(long lines)
    {
        if (Volatile.Read(ref _madeChunks) == 0)
            return 0;
        long touchedBytes = Math.Min(
            hugePages ? ChunkBytes : long.MaxValue, (lines * Bucket.SizeBytes + SystemPageBytes - 1) / SystemPageBytes * SystemPageBytes);
        return !hugePages ? touchedBytes : touchedBytes + (Volatile.Read(ref _madeChunks) - 1) * ChunkBytes;
    }

    /// <summary>The bytes that have to be taken so that a line is there, and the chunk behind its own is made ready in time.</summary>
    internal long BytesToReach(ulong number)
    {
        int chunk = (int)(number >> ChunkShift);
        bool asksNext = (number & (LinesPerChunk - 1)) == LinesPerChunk / 2;
        return IsMade(chunk) && (!asksNext || IsMade(chunk + 1)) ? 0 : ChunkBytes;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Bucket* At(ulong number) => (Bucket*)(_chunks[number >> ChunkShift] + (number & (LinesPerChunk - 1)) * Bucket.SizeBytes);

    /// <summary>Makes sure that a line is there, and has the chunk behind it made ready when its own is half used.</summary>
    /// <exception cref="OutOfMemoryException">The system has no more memory.</exception>
    /// <exception cref="PileException">There are no more numbers.</exception>
    internal void Ensure(ulong number)
    {
        int chunk = (int)(number >> ChunkShift);
        if (chunk >= MaxChunks - 1)
            throw new PileException($"The index of a table can't have more than {(long)MaxChunks * LinesPerChunk:N0} buckets.");
        if (!IsMade(chunk))
            Make(chunk, touches: false);
        if (hugePages && (number & (LinesPerChunk - 1)) == LinesPerChunk / 2 && _preparedChunks <= chunk + 1)
            PrepareBehind(chunk + 1);
    }

    /// <summary>Makes all lines below a number, and touches them.</summary>
    internal void EnsureAll(ulong count)
    {
        int chunks = (int)((count + LinesPerChunk - 1) >> ChunkShift);
        for (int chunk = 0; chunk < chunks; chunk++)
            Make(chunk, touches: hugePages && chunks > 1);
        _preparedChunks = chunks;
    }

    public void Dispose()
    {
        lock (_growing)
        {
            _isDisposed = true;
            foreach (NativeRegion? region in _regions)
                region?.Dispose();
            foreach (nint chunks in _outgrown)
                NativeMemory.Free((void*)chunks);
            NativeMemory.Free(_chunks);
            _chunks = null;
        }
    }

    private static byte** NewChunks(int capacity) => (byte**)NativeMemory.AllocZeroed((nuint)capacity, (nuint)sizeof(byte*));

    private bool IsMade(int chunk) => chunk < Volatile.Read(ref _capacity) && Volatile.Read(ref *(nint*)(_chunks + chunk)) != 0;

    // Readers take no lock: they learn the number of a line from what is published after the list that has its chunk.
    private void MakeRoomLocked(int chunk)
    {
        if (chunk >= _regions.Length)
            Array.Resize(ref _regions, Math.Max(chunk + 1, _regions.Length * 2));
        if (chunk < _capacity)
            return;
        int capacity = Math.Max(chunk + 1, _capacity * 2);
        byte** larger = NewChunks(capacity);
        new ReadOnlySpan<nint>(_chunks, _capacity).CopyTo(new Span<nint>(larger, capacity));
        _outgrown.Add((nint)_chunks);
        Volatile.WriteBarrier(); // the list is filled before it can be seen
        _chunks = larger;
        Volatile.Write(ref _capacity, capacity); // behind the list; pairs with the look at it ahead of a look at the list
    }

    private void PrepareBehind(int chunk)
    {
        _preparedChunks = chunk + 1;
        ThreadPool.UnsafeQueueUserWorkItem(
            static state => state.Store.MakeQuietly(state.Chunk), (Store: this, Chunk: chunk), preferLocal: false);
    }

    // Whoever needs the chunk will make it, and be told what is wrong.
    [SuppressMessage("Design", "CA1031", Justification = "Nobody is there to catch it, and nothing is lost.")]
    private void MakeQuietly(int chunk)
    {
        try
        {
            Make(chunk, touches: true);
        }
        catch (Exception)
        {
        }
    }

    private void Make(int chunk, bool touches)
    {
        var region = new NativeRegion(ChunkBytes, hugePages && chunk != 0);
        if (touches)
        {
            for (long at = 0; at < ChunkBytes; at += SystemPageBytes)
                Volatile.Write(ref region.Start[at], 0);
        }
        lock (_growing)
        {
            if (_isDisposed || IsMade(chunk))
            {
                region.Dispose();
                return;
            }
            MakeRoomLocked(chunk);
            _regions[chunk] = region;
            _madeChunks++;
            Volatile.Write(ref *(nint*)(_chunks + chunk), (nint)region.Start);
        }
    }
}
