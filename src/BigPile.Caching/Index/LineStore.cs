using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>Cache lines by number, in chunks of memory that never move.</summary>
/// <remarks>
/// A chunk of large pages is made and touched by a background thread while the one before it fills: the first touch of a huge page takes
/// longer than a put may. Pages are touched by stores; populating them by a call holds a lock of the process meanwhile.
/// </remarks>
/// <param name="source">Where the chunks come from; disposed of by its owner, before this.</param>
internal sealed unsafe class LineStore(LineSource source) : IDisposable
{
    private const int ChunkShift = LineSource.ChunkShift;
    private const int LinesPerChunk = LineSource.LinesPerChunk;
    private const long ChunkBytes = LineSource.ChunkBytes;
    private const int MaxChunks = 1 << 16;
    private const int SystemPageBytes = LineSource.SystemPageBytes;
    private const int FirstCapacity = 2;

    private readonly Lock _growing = new();
    private List<nint>? _outgrown; // lists of chunks that readers may still look at
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
        long touchedBytes = (lines * Bucket.SizeBytes + SystemPageBytes - 1) / SystemPageBytes * SystemPageBytes;
        return source.HasLargePages
            ? Math.Min(ChunkBytes, touchedBytes) + (Volatile.Read(ref _madeChunks) - 1) * ChunkBytes
            : touchedBytes;
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

    /// <summary>Whether a line can be looked at.</summary>
    internal bool IsThere(ulong number) =>
        IsMade((int)(number >> ChunkShift)) && (number >= LinesPerChunk || number < source.LinesInFirst);

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
        if (chunk == 0)
            source.EnsureInFirst(number + 1);
        if (source.HasLargePages && (number & (LinesPerChunk - 1)) == LinesPerChunk / 2 && _preparedChunks <= chunk + 1)
            PrepareBehind(chunk + 1);
    }

    /// <summary>Makes all lines below a number.</summary>
    /// <param name="count">The number.</param>
    /// <param name="touches">Whether the pages of new lines are to be touched, where there are many.</param>
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

    // Readers take no lock: they learn the number of a line from what is published after the list that has its chunk.
    private void EnsureCapacityLocked(int chunk)
    {
        if (chunk < _capacity)
            return;
        int capacity = Math.Max(chunk + 1, _capacity * 2);
        byte** larger = NewChunks(capacity);
        new ReadOnlySpan<nint>(_chunks, _capacity).CopyTo(new Span<nint>(larger, capacity));
        (_outgrown ??= []).Add((nint)_chunks);
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
