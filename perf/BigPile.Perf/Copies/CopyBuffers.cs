using System;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace BigPile.Perf.Copies;

/// <summary>The source and destination of copies: an array of the managed heap, and shared memory. All pages are touched.</summary>
/// <remarks>Both are aligned to a cache line, the array by skipping some bytes. Thread safety: none.</remarks>
internal sealed unsafe class CopyBuffers : IDisposable
{
    private const int LineBytes = 64;
    private const int PeriodBytes = 8191; // a prime number, so that no two images and no two small writes are alike

    private readonly MemoryMappedFile _map;
    private readonly byte* _mapped;

    internal CopyBuffers(int lengthBytes)
    {
        Array = GC.AllocateUninitializedArray<byte>(lengthBytes + LineBytes, pinned: true);
        fixed (byte* start = Array)
        {
            ArrayStart = (int)(-(nint)start & (LineBytes - 1));
            Source = start + ArrayStart;
        }
        LengthBytes = lengthBytes;
        _map = MemoryMappedFile.CreateNew(null, lengthBytes);
        Accessor = _map.CreateViewAccessor(0, lengthBytes);
        ViewStream = _map.CreateViewStream(0, lengthBytes);
        Accessor.SafeMemoryMappedViewHandle.AcquirePointer(ref _mapped);
        UnmanagedStream = new UnmanagedMemoryStream(Destination, lengthBytes, lengthBytes, FileAccess.ReadWrite);
        ArrayStream = new MemoryStream(Array);
        Prepare(isBack: false, lengthBytes);
        ReadThrough(ViewStream); // the stream has pages of its own
        Prepare(isBack: true, lengthBytes);
    }

    internal byte[] Array { get; } // the array; its content begins at ArrayStart
    internal int ArrayStart { get; }
    internal int LengthBytes { get; }

    /// <summary>The array's content; the array is pinned.</summary>
    internal byte* Source { get; }

    /// <summary>The mapping's bytes.</summary>
    internal byte* Destination => _mapped + Accessor.PointerOffset;

    internal MemoryMappedViewAccessor Accessor { get; }
    internal MemoryMappedViewStream ViewStream { get; }
    internal UnmanagedMemoryStream UnmanagedStream { get; }
    internal MemoryStream ArrayStream { get; }

    /// <summary>Fills bytes of the source, and clears them in the destination.</summary>
    internal void Prepare(bool isBack, int lengthBytes)
    {
        byte* from = isBack ? Destination : Source;
        byte* to = isBack ? Source : Destination;
        int done = Math.Min(lengthBytes, PeriodBytes);
        for (int i = 0; i < done; i++)
            from[i] = (byte)(1 + (i % byte.MaxValue));
        for (; done < lengthBytes; done += Math.Min(done, lengthBytes - done))
            Buffer.MemoryCopy(from, from + done, lengthBytes - done, Math.Min(done, lengthBytes - done));
        new Span<byte>(to, lengthBytes).Clear();
    }

    /// <summary>Whether that many bytes are equal on both sides and set by <see cref="Prepare"/>.</summary>
    internal bool IsCopied(int lengthBytes)
    {
        var copied = new ReadOnlySpan<byte>(Destination, lengthBytes);
        return copied.SequenceEqual(new ReadOnlySpan<byte>(Source, lengthBytes)) && !copied.Contains((byte)0);
    }

    public void Dispose()
    {
        UnmanagedStream.Dispose();
        ArrayStream.Dispose();
        ViewStream.Dispose();
        Accessor.SafeMemoryMappedViewHandle.ReleasePointer();
        Accessor.Dispose();
        _map.Dispose();
    }

    private static void ReadThrough(Stream stream)
    {
        stream.Position = 0;
        stream.CopyTo(Stream.Null);
    }
}
