using System.Runtime.InteropServices;
using BigPile.Memory;

namespace BigPile.Ports.Objects;

/// <summary>The mapped bytes of an arena. They stay until nobody refers to this: no span and no sleeper loses its memory.</summary>
internal sealed unsafe class Mapping : SafeHandle
{
    private const int AdvisePopulateWrite = 23; // MADV_POPULATE_WRITE

    private readonly nuint _lengthBytes;

    /// <summary>Maps a file, all of which is allocated.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    internal Mapping(HeldFile file, long lengthBytes) : base(0, ownsHandle: true)
    {
        file.BeginMap();
        _lengthBytes = (nuint)lengthBytes;
        void* start = LibC.MemoryMap(
            null, _lengthBytes, LibC.ProtectionRead | LibC.ProtectionWrite, LibC.MapShared, (int)file.Handle.DangerousGetHandle(), 0);
        if (start == LibC.MapFailed)
            throw FileErrors.Last(file.Path, "mapped");
        SetHandle((nint)start);
        file.EndMap();
    }

    public override bool IsInvalid => handle == 0;

    internal byte* Start => (byte*)handle;

    /// <summary>Has all pages be there, so that the first round through them is as fast as the others. An older kernel does not.</summary>
    internal void Populate() => _ = LibC.MemoryAdvise(Start, _lengthBytes, AdvisePopulateWrite);

    protected override bool ReleaseHandle() => LibC.MemoryUnmap((void*)handle, _lengthBytes) == 0;
}
