using System;
using System.IO;
using System.IO.MemoryMappedFiles;

namespace BigPile.Perf.Copies;

/// <summary>Where bytes are copied from and to: an array of the managed heap, and shared memory. All pages are there.</summary>
/// <remarks>Both begin at a line of the cache, in an array by leaving out some bytes. Thread safety: none.</remarks>
internal sealed unsafe class CopyBuffers : IDisposable
{
    private const int LineBytes = 64;
    private const int PeriodBytes = 8191; // a prime number: no two images and no two small writes are alike

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
        ReadThrough(ViewStream); // it has pages of its own
        Prepare(isBack: true, lengthBytes);
    }

    /// <summary>The array. What is copied begins at <see cref="ArrayStart"/>.</summary>
    internal byte[] Array { get; }

    internal int ArrayStart { get; }

    internal int LengthBytes { get; }

    /// <summary>The array's bytes, which do not move.</summary>
    internal byte* Source { get; }

    /// <summary>The mapping's bytes.</summary>
    internal byte* Destination => _mapped + Accessor.PointerOffset;

    internal MemoryMappedViewAccessor Accessor { get; }

    internal MemoryMappedViewStream ViewStream { get; }

    internal UnmanagedMemoryStream UnmanagedStream { get; }

    internal MemoryStream ArrayStream { get; }

    /// <summary>Sets some bytes of the side that is copied from, and clears them on the other one.</summary>
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

    /// <summary>Whether so many bytes are the same on both sides, and those that <see cref="Prepare"/> has set.</summary>
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
