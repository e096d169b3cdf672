using System;
using System.Diagnostics;
using System.Runtime.InteropServices;

namespace BigPile.Durability;

/// <summary>The bytes that a flush collects for its log: room for the head, then the body.</summary>
/// <remarks>
/// In memory of its own, which goes with the flush. An array of so many megabytes, and those that it outgrew, would lie on the managed heap
/// until the next collection of everything, and the flushes until then beside them. Thread safety: under the flush's lock.
/// </remarks>
internal sealed unsafe class FlushBatch : IDisposable
{
    private const int FirstBytes = 64 * 1024;

    private byte* _bytes = (byte*)NativeMemory.Alloc(FirstBytes);
    private int _capacityBytes = FirstBytes;

    internal FlushBatch()
    {
        LengthBytes = FlushLog.HeadBytes;
        Bytes.Clear();
    }

    internal int LengthBytes { get; private set; }

    internal Span<byte> Bytes => new(_bytes, LengthBytes);

    /// <summary>Makes room behind what is there, to be written as a whole.</summary>
    /// <exception cref="OutOfMemoryException">There is none.</exception>
    internal Span<byte> Add(int lengthBytes)
    {
        Debug.Assert(_bytes != null && (long)LengthBytes + lengthBytes <= Array.MaxLength, "The batch is closed, or too long.");
        int neededBytes = LengthBytes + lengthBytes;
        if (neededBytes > _capacityBytes)
        {
            var capacityBytes = (int)Math.Min(Math.Max(neededBytes, _capacityBytes * 2L), Array.MaxLength);
            _bytes = (byte*)NativeMemory.Realloc(_bytes, (nuint)capacityBytes);
            _capacityBytes = capacityBytes;
        }
        LengthBytes = neededBytes;
        return Bytes[^lengthBytes..];
    }

    public void Dispose()
    {
        NativeMemory.Free(_bytes);
        _bytes = null;
        LengthBytes = 0;
    }
}
