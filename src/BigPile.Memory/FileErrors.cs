using System;
using System.IO;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>System error numbers, and their exceptions: always an <see cref="IOException"/>, also for denied access.</summary>
internal static class FileErrors
{
    internal const int NoSuchFile = 2;
    internal const int Interrupted = 4;
    internal const int NoMemory = 12;
    internal const int InvalidArgument = 22;
    internal const int DiskFull = 28;
    internal const int NoSuchCall = 38;
    internal const int NotSupported = 95;
    internal const int WouldBlock = 11;
    internal const int WouldBlockMac = 35;
    internal const int SharingViolation = unchecked((int)0x80070020);

    private const int FileTooLarge = 27;
    private const int QuotaReached = 122;
    private const int QuotaReachedMac = 69;
    private const int DiskFullOnWindows = unchecked((int)0x80070070);
    private const int HandleDiskFullOnWindows = unchecked((int)0x80070027);

    /// <summary>Whether an operation failed because the disk is full, or the user's quota is reached.</summary>
    internal static bool IsDiskFull(IOException failure) =>
        failure.HResult is DiskFull or FileTooLarge or DiskFullOnWindows or HandleDiskFullOnWindows
        || (OperatingSystem.IsLinux() && failure.HResult == QuotaReached)
        || (OperatingSystem.IsMacOS() && failure.HResult == QuotaReachedMac)
        || (failure.InnerException is IOException inner && IsDiskFull(inner));

    /// <summary>The exception for the last failed call of the C library.</summary>
    /// <param name="path">The file.</param>
    /// <param name="done">What could not be done to it, as a participle.</param>
    internal static IOException Last(string path, string done) => Of(path, done, Marshal.GetLastPInvokeError());

    internal static IOException Of(string path, string done, int error)
    {
        string message = $"'{path}' could not be {done}: {Marshal.GetPInvokeErrorMessage(error)} (error {error}).";
        return error switch
        {
            NoSuchFile => new FileNotFoundException(message, path),
            NoMemory => new MappingRefusedException($"{message} {MappingLimit.DescribeRefusal()}"),
            _ => new IOException(message, error),
        };
    }

    /// <summary>An error's message, with a remedy if it has none of its own.</summary>
    internal static string WithRemedy(Exception e, string remedy) =>
        e is MappingRefusedException ? e.Message : $"{e.Message} {remedy}";
}
