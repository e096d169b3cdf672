using System;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>A mapping that reaches further than its file: the file grows into it, and nothing moves.</summary>
/// <remarks>Addresses cost nothing until they are used; what lies behind the end of the file must not be touched.</remarks>
[SupportedOSPlatform("linux")]
internal sealed unsafe class ReservedMapping : FileMapping
{
    // All of a process's, of the 128 TiB that it usually has: whoever has many files open leaves room for others.
    private const long MaxReservedBytes = 32L << 40;

    private static long _reservedBytes;

    private ReservedMapping(byte* start, long lengthBytes)
    {
        Start = start;
        LengthBytes = lengthBytes;
        Interlocked.Add(ref _reservedBytes, lengthBytes);
    }

    /// <summary>Gives the addresses back when the owner forgot to.</summary>
    ~ReservedMapping() => Free();

    internal static new ReservedMapping Map(HeldFile file, long lengthBytes, long addressBytes)
    {
        file.BeginMap();
        int protection = LibC.ProtectionRead | (file.CanWrite ? LibC.ProtectionWrite : 0);
        long wanted = Volatile.Read(ref _reservedBytes) < MaxReservedBytes ? Math.Max(lengthBytes, addressBytes) : lengthBytes;
        for (long tried = wanted; ; tried = Math.Max(lengthBytes, tried / 2))
        {
            void* start = LibC.MemoryMap(
                null, (nuint)tried, protection, LibC.MapShared, (int)file.Handle.DangerousGetHandle(), 0);
            if (start != LibC.MapFailed)
                return Ended(file, new ReservedMapping((byte*)start, tried));
            int error = Marshal.GetLastPInvokeError();
            if (tried == lengthBytes)
                throw FileErrors.Of(file.Path, $"mapped into memory ({lengthBytes:N0} bytes)", error);
        }
    }

    private static ReservedMapping Ended(HeldFile file, ReservedMapping mapping)
    {
        try
        {
            file.EndMap();
            return mapping;
        }
        catch
        {
            mapping.Dispose();
            throw;
        }
    }

    public override void Dispose()
    {
        Free();
        GC.SuppressFinalize(this);
    }

    private void Free()
    {
        if (Start == null)
            return;
        _ = LibC.MemoryUnmap(Start, (nuint)LengthBytes);
        Interlocked.Add(ref _reservedBytes, -LengthBytes);
        Start = null;
    }
}
