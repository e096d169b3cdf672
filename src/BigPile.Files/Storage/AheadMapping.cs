using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>A mapping that reaches further than its file: the file grows into it, and nothing moves.</summary>
/// <remarks>Addresses cost nothing until they are used; what lies behind the end of the file must not be touched.</remarks>
[SupportedOSPlatform("linux")]
internal sealed unsafe class AheadMapping : FileMapping
{
    private AheadMapping(byte* start, long lengthBytes)
    {
        Start = start;
        LengthBytes = lengthBytes;
    }

    /// <summary>Gives the addresses back when the owner forgot to.</summary>
    ~AheadMapping() => Free();

    internal static new AheadMapping Map(HeldFile file, long lengthBytes, long addressBytes)
    {
        int protection = LibC.ProtectionRead | (file.CanWrite ? LibC.ProtectionWrite : 0);
        for (long tried = Math.Max(lengthBytes, addressBytes); ; tried = Math.Max(lengthBytes, tried / 2))
        {
            void* start = LibC.MemoryMap(
                null, (nuint)tried, protection, LibC.MapShared, (int)file.Handle.DangerousGetHandle(), 0);
            if (start != LibC.MapFailed)
                return new AheadMapping((byte*)start, tried);
            int error = Marshal.GetLastPInvokeError();
            if (tried == lengthBytes)
                throw FileErrors.Of(file.Path, $"mapped into memory ({lengthBytes:N0} bytes)", error);
        }
    }

    public override void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    private void Free()
    {
        if (Start != null)
            _ = LibC.MemoryUnmap(Start, (nuint)LengthBytes);
        Start = null;
    }
}
