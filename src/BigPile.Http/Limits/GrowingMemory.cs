using System;
using System.Buffers;
using BigPile.Memory;

namespace BigPile.Http.Limits;

/// <summary>A growable buffer whose bytes are charged to a <see cref="BufferQuota"/>.</summary>
/// <remarks>
/// Up to 256 KiB come from the shared array pool. More is native memory and is returned to the system at once: the pool would keep large
/// arrays long after the request. Thread safety: none; it belongs to one request at a time.
/// </remarks>
internal sealed class GrowingMemory
{
    private const int MinArrayBytes = 4 * 1024;
    private const int MaxArrayBytes = 256 * 1024;

    /// <summary>The pooled array; empty while <see cref="_large"/> is used, or nothing is allocated.</summary>
    private byte[] _array = [];
    /// <summary>The native memory, if the buffer is large.</summary>
    private LargeMemory? _large;
    /// <summary>What the bytes are charged to; <see langword="null"/>: they are not counted.</summary>
    private BufferQuota? _quota;
    /// <summary>Bytes charged; a pooled array may be longer.</summary>
    private int _takenBytes;

    internal int LengthBytes { get; private set; }

    internal Memory<byte> Memory => _large != null ? _large.Memory : _array;

    internal Span<byte> Span => _large != null ? _large.GetSpan() : _array;

    /// <summary>Sets the quota to charge; <see langword="null"/>: none. Only while the buffer is empty.</summary>
    internal void ChargeTo(BufferQuota? quota) => _quota = quota;

    /// <summary>Ensures a capacity.</summary>
    /// <param name="neededBytes">The capacity, in bytes.</param>
    /// <param name="keptBytes">How many of the present bytes are kept.</param>
    /// <exception cref="BufferQuotaException">The quota is exhausted.</exception>
    internal void Grow(int neededBytes, int keptBytes)
    {
        if (neededBytes <= LengthBytes)
            return;
        int grownBytes = (int)Math.Clamp(Math.Max(MinArrayBytes, LengthBytes * 2L), neededBytes, Array.MaxLength);
        // Old and new memory are both charged until the copy is done: both exist.
        _quota?.Take(grownBytes);
        byte[] array = grownBytes <= MaxArrayBytes ? ArrayPool<byte>.Shared.Rent(grownBytes) : [];
        LargeMemory? large = grownBytes <= MaxArrayBytes ? null : new LargeMemory(grownBytes);
        Span[..keptBytes].CopyTo(large != null ? large.GetSpan() : array);
        Free();
        _array = array;
        _large = large;
        _takenBytes = grownBytes;
        LengthBytes = large != null ? grownBytes : array.Length;
    }

    /// <summary>Releases the memory and the quota.</summary>
    internal void Free()
    {
        if (_array.Length != 0)
            ArrayPool<byte>.Shared.Return(_array);
        ((IDisposable?)_large)?.Dispose();
        _quota?.Return(_takenBytes);
        _array = [];
        _large = null;
        _takenBytes = LengthBytes = 0;
    }

    private sealed class LargeMemory(int lengthBytes) : MemoryManager<byte>
    {
        private readonly NativeRegion _region = new(lengthBytes);

        public override Span<byte> GetSpan() => _region.GetSpan(0, lengthBytes);

        public override MemoryHandle Pin(int elementIndex = 0) => throw new NotSupportedException("It is read by spans only.");

        public override void Unpin()
        {
        }

        protected override void Dispose(bool disposing) => _region.Dispose();
    }
}
