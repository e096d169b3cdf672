using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>Cache lines by number, in chunks of memory that never move.</summary>
/// <remarks>
/// A background thread makes and touches a chunk of large pages while the chunk before it fills: the first touch of a huge page takes
/// longer than a put may. Pages are touched by stores, as a system call that populates them holds a lock of the process meanwhile.
/// Thread safety: readers take no lock; all members may be called concurrently, except <see cref="Dispose"/>.
/// </remarks>
/// <param name="source">Allocates the chunks. Its owner disposes it, before this.</param>
internal sealed unsafe class LineStore(LineSource source) : IDisposable
{
    private const int ChunkShift = LineSource.ChunkShift;
    private const int LinesPerChunk = LineSource.LinesPerChunk;
    private const long ChunkBytes = LineSource.ChunkBytes;
    private const int MaxChunks = 1 << 16;
    private const int SystemPageBytes = LineSource.SystemPageBytes;
    private const int FirstCapacity = 2;

    private readonly Lock _growing = new(); // guards the stores to all fields but _preparedChunks
    private List<nint>? _outgrown; // former arrays of chunk addresses, which readers may still load from; freed by Dispose
    private byte** _chunks = NewChunks(FirstCapacity); // by chunk, its address; null: not made yet
    private int _capacity = FirstCapacity; // elements of _chunks
    private int _preparedChunks; // chunks that were made, or whose background preparation was started; one growing thread writes it
    private int _madeChunks;
    private bool _isDisposed;

    /// <summary>
    /// The bytes of memory that a number of lines takes: the touched pages of the first chunk, and all of the others.
    /// </summary>
    internal long SizeBytesFor(long lines)
    {
        if (Volatile.Read(ref _madeChunks) == 0)
            return 0;
        long touchedBytes = (lines * Bucket.SizeBytes + SystemPageBytes - 1) / SystemPageBytes * SystemPageBytes;
        return source.HasLargePages
            ? Math.Min(ChunkBytes, touchedBytes) + (Volatile.Read(ref _madeChunks) - 1) * ChunkBytes
            : touchedBytes;
    }

    /// <summary>The bytes that <see cref="Ensure"/> allocates for a line: its chunk, or the preparation of the next one.</summary>
    internal long BytesToReach(ulong number)
    {
        int chunk = (int)(number >> ChunkShift);
        bool asksNext = (number & (LinesPerChunk - 1)) == LinesPerChunk / 2;
        return IsMade(chunk) && (!asksNext || IsMade(chunk + 1)) ? 0 : ChunkBytes;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Bucket* At(ulong number) => (Bucket*)(_chunks[number >> ChunkShift] + (number & (LinesPerChunk - 1)) * Bucket.SizeBytes);

    /// <summary>Whether a line has memory.</summary>
    internal bool IsThere(ulong number) =>
        IsMade((int)(number >> ChunkShift)) && (number >= LinesPerChunk || number < source.LinesInFirst);

    /// <summary>Ensures that a line has memory. When its chunk is half used, starts the preparation of the next one.</summary>
    /// <exception cref="OutOfMemoryException">The system has no more memory.</exception>
    /// <exception cref="PileException">There are no more numbers.</exception>
    internal void Ensure(ulong number)
    {
        int chunk = (int)(number >> ChunkShift);
        if (chunk >= MaxChunks - 1)
            throw new PileException($"The index of a table can't have more than {(long)MaxChunks * LinesPerChunk:N0} buckets.");
        if (!IsMade(chunk))
            Make(chunk, touches: false);
        if (chunk == 0)
            source.EnsureInFirst(number + 1);
        if (source.HasLargePages && (number & (LinesPerChunk - 1)) == LinesPerChunk / 2 && _preparedChunks <= chunk + 1)
            PrepareBehind(chunk + 1);
    }

    /// <summary>Ensures that all lines below a number have memory.</summary>
    /// <param name="count">The number.</param>
    /// <param name="touches">Whether to touch the pages of new chunks, if there are several of large pages.</param>
    internal void EnsureAll(ulong count, bool touches)
    {
        int chunks = (int)((count + LinesPerChunk - 1) >> ChunkShift);
        for (int chunk = 0; chunk < chunks; chunk++)
            Make(chunk, touches && source.HasLargePages && chunks > 1);
        if (chunks != 0)
            source.EnsureInFirst(Math.Min(count, LinesPerChunk));
        _preparedChunks = chunks;
    }

    public void Dispose()
    {
        lock (_growing)
        {
            _isDisposed = true;
            _outgrown?.ForEach(static chunks => NativeMemory.Free((void*)chunks));
            NativeMemory.Free(_chunks);
            _chunks = null;
        }
    }

    private static byte** NewChunks(int capacity) => (byte**)NativeMemory.AllocZeroed((nuint)capacity, (nuint)sizeof(byte*));

    private bool IsMade(int chunk) => chunk < Volatile.Read(ref _capacity) && Volatile.Read(ref *(nint*)(_chunks + chunk)) != 0;

    // Readers take no lock. A reader knows a line's number only from a store that follows the publication of the array with its chunk.
    private void EnsureCapacityLocked(int chunk)
    {
        if (chunk < _capacity)
            return;
        int capacity = Math.Max(chunk + 1, _capacity * 2);
        byte** larger = NewChunks(capacity);
        new ReadOnlySpan<nint>(_chunks, _capacity).CopyTo(new Span<nint>(larger, capacity));
        (_outgrown ??= []).Add((nint)_chunks);
        Volatile.WriteBarrier(); // the array is filled before it is published
        _chunks = larger;
        Volatile.Write(ref _capacity, capacity); // after the array; pairs with IsMade, which loads the capacity before the array
    }

    private void PrepareBehind(int chunk)
    {
        _preparedChunks = chunk + 1;
        ThreadPool.UnsafeQueueUserWorkItem(
            static state => state.Store.MakeQuietly(state.Chunk), (Store: this, Chunk: chunk), preferLocal: false);
    }

    // A failure is ignored: the thread that needs the chunk makes it, and gets the exception.
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
        byte* start = source.Take(chunk, touches);
        lock (_growing)
        {
            if (_isDisposed || IsMade(chunk))
            {
                source.GiveBack(chunk, start);
                return;
            }
            EnsureCapacityLocked(chunk);
            _madeChunks++;
            Volatile.Write(ref *(nint*)(_chunks + chunk), (nint)start);
        }
    }
}
