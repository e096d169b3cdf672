using System;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32;

namespace BigPile.Memory;

/// <summary>Tells reboots apart: the files of a killed owner are intact in the page cache, but not after a reboot.</summary>
internal static class BootClock
{
    private const string LinuxPath = "/proc/sys/kernel/random/boot_id";
    private const string MacName = "kern.bootsessionuuid";
    private const string WindowsKey = @"HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\Cryptography";
    private const string WindowsValue = "MachineGuid";
    private const nint WindowsBootIdAt = 0x7FFE02C4; // KUSER_SHARED_DATA.BootId, which is mapped there in each process
    private const int FirstWindowsWithBootId = 10;

    /// <summary>The id of this boot; empty if the system does not report it.</summary>
    internal static Guid Current { get; } = Read();

    /// <summary>Whether two ids are known to be of the same boot. An empty id is unknown.</summary>
    internal static bool IsSame(Guid one, Guid other) => one != Guid.Empty && one == other;

    private static Guid Read()
    {
        try
        {
            if (OperatingSystem.IsLinux())
                return Parse(File.ReadAllText(LinuxPath));
            if (OperatingSystem.IsMacOS())
                return Parse(ReadMac());
            return OperatingSystem.IsWindows() && OperatingSystem.IsWindowsVersionAtLeast(FirstWindowsWithBootId)
                ? ReadWindows()
                : Guid.Empty;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or System.Security.SecurityException)
        {
            return Guid.Empty;
        }
    }

    private static Guid Parse(string text) => Guid.TryParse(text.Trim().TrimEnd('\0'), out Guid id) ? id : Guid.Empty;

    [SupportedOSPlatform("macos")]
    private static unsafe string ReadMac()
    {
        const int bufferBytes = 64;
        byte* value = stackalloc byte[bufferBytes];
        nuint lengthBytes = bufferBytes;
        return MacC.ValueByName(MacName, value, &lengthBytes, null, 0) == 0 ? Encoding.ASCII.GetString(value, (int)lengthBytes) : "";
    }

    // The system counts its boots, and other machines reach the same count: combine it with the machine's own id.
    [SupportedOSPlatform("windows")]
    private static Guid ReadWindows()
    {
        int start = Marshal.ReadInt32(WindowsBootIdAt);
        if (start == 0 || Registry.GetValue(WindowsKey, WindowsValue, null) is not string { Length: > 0 } machine)
            return Guid.Empty;
        string text = string.Create(CultureInfo.InvariantCulture, $"{machine}:{start}");
        return new Guid(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 16));
    }
}
