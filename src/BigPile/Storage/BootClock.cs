using System;
using System.IO;

namespace BigPile.Storage;

/// <summary>Tells starts of the machine apart: a pile whose owner was killed is whole in the system's memory, and after a power cut it is not.</summary>
internal static class BootClock
{
    private const string LinuxPath = "/proc/sys/kernel/random/boot_id";

    /// <summary>The number of this start of the machine; empty where the system does not tell.</summary>
    internal static Guid Current { get; } = Read();

    private static Guid Read()
    {
        try
        {
            return File.Exists(LinuxPath) && Guid.TryParse(File.ReadAllText(LinuxPath).Trim(), out Guid id) ? id : Guid.Empty;
        }
        catch (IOException)
        {
            return Guid.Empty;
        }
    }
}
