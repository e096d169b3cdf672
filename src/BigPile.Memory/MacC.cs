using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Calls of the macOS C library that the runtime does not offer.</summary>
[SupportedOSPlatform("macos")]
internal static unsafe partial class MacC
{
    /// <summary>
    /// The status of a file; on Intel the 64-bit variant has its own symbol name, on other processors it is the only one.
    /// </summary>
    internal static int Status(string path, byte* status) =>
        RuntimeInformation.ProcessArchitecture == Architecture.X64 ? StatusIntel(path, status) : StatusArm(path, status);

    internal static int Status(SafeFileHandle file, byte* status) =>
        RuntimeInformation.ProcessArchitecture == Architecture.X64 ? StatusIntel(file, status) : StatusArm(file, status);

    /// <summary>Reads a kernel value by name.</summary>
    [LibraryImport("libc", EntryPoint = "sysctlbyname", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int ValueByName(string name, byte* value, nuint* lengthBytes, void* newValue, nuint newLengthBytes);

    [LibraryImport("libc", EntryPoint = "stat$INODE64", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatusIntel(string path, byte* status);

    [LibraryImport("libc", EntryPoint = "fstat$INODE64", SetLastError = true)]
    private static partial int StatusIntel(SafeFileHandle file, byte* status);

    [LibraryImport("libc", EntryPoint = "stat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    private static partial int StatusArm(string path, byte* status);

    [LibraryImport("libc", EntryPoint = "fstat", SetLastError = true)]
    private static partial int StatusArm(SafeFileHandle file, byte* status);
}
