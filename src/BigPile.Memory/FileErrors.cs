using System;
using System.IO;
using System.Runtime.InteropServices;

namespace BigPile.Memory;

/// <summary>Numbers of errors, and the exceptions that they become: always an <see cref="IOException"/>, denied access too.</summary>
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

    /// <summary>What the last call of the C library failed with.</summary>
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

    /// <summary>What an error says, and what helps where it does not say so itself.</summary>
    internal static string WithRemedy(Exception e, string remedy) =>
        e is MappingRefusedException ? e.Message : $"{e.Message} {remedy}";
}
