using System;
using System.Buffers;
using BigPile.Memory;

namespace BigPile.Http.Limits;

/// <summary>Memory that grows, and takes its bytes from the room that all such memory has.</summary>
/// <remarks>
/// A little lies in arrays of the shared pool. More comes from the operating system and goes back to it at once: the pool would keep arrays
/// of many megabytes long after the request. Thread safety: none; it belongs to one request at a time.
/// </remarks>
internal sealed class GrowingMemory
{
    private const int MinArrayBytes = 4 * 1024;
    private const int MaxArrayBytes = 256 * 1024;

    private byte[] _array = [];
    private LargeMemory? _large;
    private BufferQuota? _quota;
    private int _takenBytes;

    internal int LengthBytes { get; private set; }

    internal Memory<byte> Memory => _large != null ? _large.Memory : _array;

    internal Span<byte> Span => _large != null ? _large.GetSpan() : _array;

    /// <summary>
    /// Says from which room the bytes come; <see langword="null"/>: from none, they are not counted. Only while there are none.
    /// </summary>
    internal void ChargeTo(BufferQuota? quota) => _quota = quota;

    /// <summary>Makes room for so many bytes, at least.</summary>
    /// <param name="neededBytes">The bytes.</param>
    /// <param name="keptBytes">How many of those that there are keep their content.</param>
    /// <exception cref="BufferQuotaException">There is no room for them.</exception>
    internal void Grow(int neededBytes, int keptBytes)
    {
        if (neededBytes <= LengthBytes)
            return;
        int grownBytes = (int)Math.Clamp(Math.Max(MinArrayBytes, LengthBytes * 2L), neededBytes, Array.MaxLength);
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

    /// <summary>Gives everything back.</summary>
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
