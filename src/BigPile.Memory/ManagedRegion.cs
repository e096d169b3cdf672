using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>A region in a pinned byte array of the runtime.</summary>
public sealed unsafe class ManagedRegion : MemoryRegion
{
    private const int AlignmentBytes = 64;

    private byte[]? _array;

    /// <summary>Allocates the array.</summary>
    /// <param name="lengthBytes">The number of bytes, from 1 to <see cref="Array.MaxLength"/> less 64.</param>
    /// <exception cref="OutOfMemoryException">The runtime has no such memory.</exception>
    public ManagedRegion(long lengthBytes) : base(lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(lengthBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lengthBytes, Array.MaxLength - AlignmentBytes);
        _array = GC.AllocateArray<byte>((int)lengthBytes + AlignmentBytes, pinned: true);
        nint first = (nint)Unsafe.AsPointer(ref MemoryMarshal.GetArrayDataReference(_array));
        SetStart((byte*)((first + AlignmentBytes - 1) & -AlignmentBytes));
    }

    /// <inheritdoc/>
    public override StoreKind Kind => StoreKind.Managed;

    private protected override void Free() => _array = null;
}
