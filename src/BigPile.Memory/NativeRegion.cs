using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Memory;

/// <summary>A region taken from the operating system.</summary>
/// <remarks>
/// On Linux pages are allocated at first touch, and the region starts at a multiple of 2 MiB so that huge pages can serve it: they make
/// random reads 1.2 to 1.7 times faster.
/// </remarks>
public sealed unsafe class NativeRegion : MemoryRegion
{
    private const nuint AlignmentBytes = 2 << 20;

    private byte* _mapping;
    private nuint _mappingLengthBytes;

    /// <summary>Takes the memory.</summary>
    /// <param name="lengthBytes">The number of bytes, from 1.</param>
    /// <param name="hugePages">Ask for huge pages where the system grants them on request.</param>
    /// <exception cref="OutOfMemoryException">The system has no such memory.</exception>
    public NativeRegion(long lengthBytes, bool hugePages = false) : base(lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(lengthBytes);
        if (OperatingSystem.IsLinux())
            Map((nuint)lengthBytes, hugePages);
        else
            Allocate((nuint)lengthBytes);
    }

    /// <summary>Frees the memory if the owner forgot to.</summary>
    ~NativeRegion() => Free();

    /// <inheritdoc/>
    public override StoreKind Kind => StoreKind.Native;

    internal override bool TryDiscard(long offsetBytes, long lengthBytes) =>
        OperatingSystem.IsLinux() && LibC.MemoryAdvise(Start + offsetBytes, (nuint)lengthBytes, LibC.AdviseDoNotNeed) == 0;

    [SupportedOSPlatform("linux")]
    private void Map(nuint lengthBytes, bool hugePages)
    {
        if (MappingLimit.Own.Take() is { } reason)
            throw new OutOfMemoryException($"{lengthBytes:N0} bytes can't be taken from the system: {reason}");
        nuint mappingLengthBytes = lengthBytes + AlignmentBytes;
        void* mapping = LibC.MemoryMap(
            null, mappingLengthBytes, LibC.ProtectionRead | LibC.ProtectionWrite,
            LibC.MapPrivate | LibC.MapAnonymous | LibC.MapNoReserve, -1, 0);
        if (mapping == LibC.MapFailed)
        {
            throw new OutOfMemoryException(
                $"The system refused {lengthBytes:N0} bytes (error {Marshal.GetLastPInvokeError()}). {MappingLimit.DescribeRefusal()}");
        }
        _mapping = (byte*)mapping;
        _mappingLengthBytes = mappingLengthBytes;
        var start = (byte*)(((nuint)mapping + AlignmentBytes - 1) & ~(AlignmentBytes - 1));
        if (hugePages)
            _ = LibC.MemoryAdvise(start, lengthBytes, LibC.AdviseHugePage); // a refusal only costs speed
        SetStart(start);
    }

    private void Allocate(nuint lengthBytes)
    {
        _mapping = (byte*)NativeMemory.AlignedAlloc(lengthBytes, AlignmentBytes);
        NativeMemory.Clear(_mapping, lengthBytes);
        SetStart(_mapping);
    }

    private protected override void Free()
    {
        byte* mapping = _mapping;
        _mapping = null;
        if (mapping == null)
            return;
        if (OperatingSystem.IsLinux())
            _ = LibC.MemoryUnmap(mapping, _mappingLengthBytes);
        else
            NativeMemory.AlignedFree(mapping);
    }
}
