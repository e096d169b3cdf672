using System;
using System.IO;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Files.Storage;

/// <summary>A mapping of a file, from its first byte.</summary>
internal abstract unsafe class FileMapping : IDisposable
{
    /// <summary>The address of the first byte.</summary>
    internal byte* Start { get; private protected set; }

    /// <summary>The number of mapped bytes; only those within the file may be touched.</summary>
    internal long LengthBytes { get; private protected set; }

    /// <summary>Maps a file.</summary>
    /// <param name="file">The file.</param>
    /// <param name="lengthBytes">The length of the file, from 1.</param>
    /// <param name="addressBytes">The addresses to reserve, so that the file can grow in place; 0 to map it anew at each growth.</param>
    /// <exception cref="IOException">The system refused.</exception>
    internal static FileMapping Map(HeldFile file, long lengthBytes, long addressBytes) => OperatingSystem.IsLinux() && addressBytes > 0
        ? ReservedMapping.Map(file, lengthBytes, addressBytes)
        : new ViewMapping(file, lengthBytes);

    /// <summary>Hands changed bytes to the system, if it does not have them already.</summary>
    internal virtual void Flush()
    {
    }

    /// <summary>Checks that the mapping is in place and counted, for tests.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal virtual void CheckInvariants()
    {
        Invariant.True("FileMapping", LengthBytes, "mapping in place", Start != null);
        Invariant.Between("FileMapping", (nint)Start, "length", LengthBytes, 1, long.MaxValue);
    }

    public abstract void Dispose();
}
