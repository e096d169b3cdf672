using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Threading;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Files.Storage;

/// <summary>A mapping with more addresses than its file has bytes: the file grows in place.</summary>
/// <remarks>Reserved addresses cost nothing. Those behind the end of the file must not be touched.</remarks>
[SupportedOSPlatform("linux")]
internal sealed unsafe class ReservedMapping : FileMapping
{
    // The limit for all mappings of the process, of the usual 128 TiB: many open files must leave addresses to others.
    private const long MaxReservedBytes = 32L << 40;

    private static long _reservedBytes;

    private ReservedMapping(byte* start, long lengthBytes)
    {
        Start = start;
        LengthBytes = lengthBytes;
        Interlocked.Add(ref _reservedBytes, lengthBytes);
    }

    /// <summary>Unmaps the file if the owner did not dispose it.</summary>
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
            Debug.Assert(tried >= lengthBytes, "The whole file is mapped, however few addresses there are.");
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

    internal override void CheckInvariants()
    {
        base.CheckInvariants();
        long all = Volatile.Read(ref _reservedBytes);
        Invariant.Between("ReservedMapping", (nint)Start, "addresses of all mappings", all, LengthBytes, long.MaxValue);
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
        long left = Interlocked.Add(ref _reservedBytes, -LengthBytes);
        Debug.Assert(left >= 0, "The addresses of each mapping were counted.");
        Start = null;
    }
}
