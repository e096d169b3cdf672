using System;
using System.IO;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>A file's bytes in the address space, from its first one on.</summary>
internal abstract unsafe class FileMapping : IDisposable
{
    /// <summary>The address of the first byte.</summary>
    internal byte* Start { get; private protected set; }

    /// <summary>The bytes that have addresses; only those that the file has as well may be touched.</summary>
    internal long LengthBytes { get; private protected set; }

    /// <summary>Maps a file.</summary>
    /// <param name="file">The file.</param>
    /// <param name="lengthBytes">What it has, from 1.</param>
    /// <param name="addressBytes">What should have addresses, so that it need not move when it grows; 0 has it move each time.</param>
    /// <exception cref="IOException">The system refused.</exception>
    internal static FileMapping Map(HeldFile file, long lengthBytes, long addressBytes) => OperatingSystem.IsLinux() && addressBytes > 0
        ? ReservedMapping.Map(file, lengthBytes, addressBytes)
        : new ViewMapping(file, lengthBytes);

    /// <summary>Hands changed bytes to the system, where they are not its own already.</summary>
    internal virtual void Flush()
    {
    }

    public abstract void Dispose();
}
