using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>Allocates the chunks of a <see cref="LineStore"/>.</summary>
/// <remarks>Thread safety: all members may be called concurrently, except <see cref="Dispose"/>, which is called last.</remarks>
internal abstract unsafe class LineSource : IDisposable
{
    internal const int ChunkShift = 15;
    internal const int LinesPerChunk = 1 << ChunkShift;
    internal const long ChunkBytes = (long)LinesPerChunk * Bucket.SizeBytes;

    /// <summary>The smallest page size of any system, in bytes.</summary>
    internal const int SystemPageBytes = 4096;

    /// <summary>Whether chunks after the first one have large pages, whose first touch takes long.</summary>
    internal abstract bool HasLargePages { get; }

    /// <summary>The number of lines of the first chunk that may be stored to, once it is taken.</summary>
    internal virtual ulong LinesInFirst => LinesPerChunk;

    /// <summary>Whether an earlier process may have stored to a line.</summary>
    internal virtual bool MayHave(ulong line) => true;

    /// <summary>Takes a chunk. Lines that were never used are zero.</summary>
    /// <param name="chunk">Its number.</param>
    /// <param name="touches">Whether to touch its pages.</param>
    /// <exception cref="OutOfMemoryException">The system has no more memory.</exception>
    /// <exception cref="System.IO.IOException">The disk is full.</exception>
    internal abstract byte* Take(int chunk, bool touches);

    /// <summary>Returns a chunk that another thread has taken as well.</summary>
    internal abstract void GiveBack(int chunk, byte* start);

    /// <summary>Ensures that a number of lines of the first chunk may be stored to.</summary>
    /// <exception cref="System.IO.IOException">The disk is full.</exception>
    internal virtual void EnsureInFirst(ulong lines) =>
        Debug.Assert(lines <= LinesPerChunk, "The first chunk ends there.");

    public abstract void Dispose();

    private protected static void Touch(byte* start)
    {
        for (long at = 0; at < ChunkBytes; at += SystemPageBytes)
            _ = Interlocked.Add(ref *(int*)(start + at), 0);
    }
}
