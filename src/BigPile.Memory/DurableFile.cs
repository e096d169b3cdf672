using System;
using System.IO;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>Making files outlive a power cut.</summary>
internal static class DurableFile
{
    /// <summary>Returns when the device has what was written to a file.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal static void Sync(FileStream file)
    {
        if (!OperatingSystem.IsLinux())
        {
            file.Flush(flushToDisk: true);
            return;
        }
        if (LibC.SyncData(file.SafeFileHandle) != 0)
            throw new IOException($"'{file.Name}' could not be written through to its device (error {Marshal.GetLastPInvokeError()}).");
    }

    /// <summary>Returns when the device has the names in a directory, where the system has such a call.</summary>
    /// <exception cref="IOException">The device refused.</exception>
    internal static void SyncDirectory(string path)
    {
        if (!OperatingSystem.IsLinux())
            return;
        int descriptor = LibC.Open(path, LibC.OpenReadOnly);
        bool done = descriptor >= 0 && LibC.Sync(descriptor) == 0;
        int error = Marshal.GetLastPInvokeError();
        if (descriptor >= 0)
            _ = LibC.Close(descriptor);
        if (!done)
            throw new IOException($"The directory '{path}' could not be written through to its device (error {error}).");
    }
}
