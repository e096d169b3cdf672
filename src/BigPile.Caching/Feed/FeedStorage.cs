using System;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Feed;

/// <summary>The memory of a feed's window.</summary>
/// <remarks>Used by one thread at a time, while no call reads the window.</remarks>
internal abstract unsafe class FeedStorage : IDisposable
{
    /// <summary>Whether the window outlives the process.</summary>
    internal abstract bool OutlivesProcess { get; }

    /// <summary>The length of the window that there is; 0: none.</summary>
    internal abstract long LengthBytes { get; }

    internal abstract byte* Start { get; }

    /// <summary>Makes memory of zeros, in place of what there is.</summary>
    /// <exception cref="System.IO.IOException">The disk is full, or the directory can't be written.</exception>
    internal abstract void Create(long lengthBytes);

    /// <summary>Frees the memory; one that outlives the process is deleted.</summary>
    internal abstract void Delete();

    /// <summary>Frees the memory; one that outlives the process stays.</summary>
    public abstract void Dispose();
}

/// <summary>A window in the memory of the process.</summary>
internal sealed unsafe class MemoryFeedStorage : FeedStorage
{
    private const nuint Alignment = 4096;

    private byte* _start;
    private long _lengthBytes;

    internal override bool OutlivesProcess => false;

    internal override long LengthBytes => _lengthBytes;

    internal override byte* Start => _start;

    internal override void Create(long lengthBytes)
    {
        Dispose();
        _start = (byte*)NativeMemory.AlignedAlloc((nuint)lengthBytes, Alignment);
        NativeMemory.Clear(_start, (nuint)lengthBytes);
        _lengthBytes = lengthBytes;
    }

    internal override void Delete() => Dispose();

    public override void Dispose()
    {
        NativeMemory.AlignedFree(_start);
        _start = null;
        _lengthBytes = 0;
    }
}
