using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>Where the chunks of a <see cref="LineStore"/> come from.</summary>
/// <remarks>Thread safety: all members may be called concurrently, <see cref="Dispose"/> at the end.</remarks>
internal abstract unsafe class LineSource : IDisposable
{
    internal const int ChunkShift = 15;
    internal const int LinesPerChunk = 1 << ChunkShift;
    internal const long ChunkBytes = (long)LinesPerChunk * Bucket.SizeBytes;

    /// <summary>The bytes that a page of the system has at least.</summary>
    internal const int SystemPageBytes = 4096;

    /// <summary>Whether chunks behind the first one have large pages that take long to be touched first.</summary>
    internal abstract bool HasLargePages { get; }

    /// <summary>The lines of the first chunk that can be stored to, once it was taken.</summary>
    internal virtual ulong LinesInFirst => LinesPerChunk;

    /// <summary>Whether an earlier process may have stored to a line.</summary>
    internal virtual bool MayHave(ulong line) => true;

    /// <summary>Takes a chunk; its lines are zero where they were never used.</summary>
    /// <param name="chunk">Its number.</param>
    /// <param name="touches">Whether its pages are to be touched.</param>
    /// <exception cref="OutOfMemoryException">The system has no more memory.</exception>
    /// <exception cref="System.IO.IOException">The disk is full.</exception>
    internal abstract byte* Take(int chunk, bool touches);

    /// <summary>Gives back a chunk that another thread has taken as well.</summary>
    internal abstract void GiveBack(int chunk, byte* start);

    /// <summary>Makes sure that lines of the first chunk can be stored to.</summary>
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
