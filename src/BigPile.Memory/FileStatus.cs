using System;
using System.Buffers.Binary;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>The identity of a file, independent of its name, and its disk space.</summary>
/// <param name="Device">The number of its file system.</param>
/// <param name="Number">Its inode number; unique among existing files.</param>
/// <param name="Names">The number of its names; 0 once it is deleted.</param>
/// <param name="AllocatedBytes">Its allocated disk space.</param>
/// <param name="ChangeTime">
/// When a call last changed its bytes, length or name: nanoseconds, in steps of the system's clock; 0 if not reported. Can't be set.
/// </param>
/// <param name="BirthTime">When it was created, in the same units; 0 if not reported. Can't be set.</param>
/// <param name="Mode">Its type and rights.</param>
internal readonly record struct FileStatus(
    ulong Device, ulong Number, uint Names, long AllocatedBytes, long ChangeTime, long BirthTime, ushort Mode)
{
    private const long SecondNanoseconds = 1_000_000_000;
    private const int BufferBytes = 256;
    private const int BlockBytes = 512;
    private const int AnyDirectory = -100; // AT_FDCWD
    private const int EmptyPath = 0x1000; // AT_EMPTY_PATH
    private const uint Fields = 0xFFF; // STATX_BASIC_STATS | STATX_BTIME
    private const uint ChangeTimeField = 0x80; // STATX_CTIME
    private const uint BirthTimeField = 0x800; // STATX_BTIME
    private const int TypeMask = 0xF000; // S_IFMT
    private const int FileType = 0x8000; // S_IFREG

    /// <summary>Whether it is a file, and no directory, pipe or device.</summary>
    internal bool IsFile => (Mode & TypeMask) == FileType;

    internal bool IsSameFile(FileStatus other) => Device == other.Device && Number == other.Number;

    /// <summary>The file at a path; null if there is none, or the system does not report it.</summary>
    internal static unsafe FileStatus? Of(string path)
    {
        byte* status = stackalloc byte[BufferBytes];
        if (OperatingSystem.IsLinux())
            return LibC.StatusAt(AnyDirectory, path, 0, Fields, status) == 0
                ? OnLinux(new ReadOnlySpan<byte>(status, BufferBytes))
                : null;
        if (OperatingSystem.IsMacOS())
            return MacC.Status(path, status) == 0 ? OnMac(new ReadOnlySpan<byte>(status, BufferBytes)) : null;
        return null;
    }

    /// <summary>An open file; null if the system does not report it.</summary>
    internal static unsafe FileStatus? Of(SafeFileHandle file)
    {
        byte* status = stackalloc byte[BufferBytes];
        if (OperatingSystem.IsLinux())
            return LibC.StatusAt(file, "", EmptyPath, Fields, status) == 0 ? OnLinux(new ReadOnlySpan<byte>(status, BufferBytes)) : null;
        if (OperatingSystem.IsMacOS())
            return MacC.Status(file, status) == 0 ? OnMac(new ReadOnlySpan<byte>(status, BufferBytes)) : null;
        return null;
    }

    // struct statx, the same on all processors.
    [SupportedOSPlatform("linux")]
    private static FileStatus OnLinux(ReadOnlySpan<byte> status) => new(
        BinaryPrimitives.ReadUInt64LittleEndian(status[136..]), BinaryPrimitives.ReadUInt64LittleEndian(status[32..]),
        BinaryPrimitives.ReadUInt32LittleEndian(status[16..]), (long)BinaryPrimitives.ReadUInt64LittleEndian(status[48..]) * BlockBytes,
        TimeOnLinux(status, ChangeTimeField, 96), TimeOnLinux(status, BirthTimeField, 80),
        BinaryPrimitives.ReadUInt16LittleEndian(status[28..]));

    private static long TimeOnLinux(ReadOnlySpan<byte> status, uint field, int offset) =>
        (BinaryPrimitives.ReadUInt32LittleEndian(status) & field) == 0
            ? 0
            : BinaryPrimitives.ReadInt64LittleEndian(status[offset..]) * SecondNanoseconds
                + BinaryPrimitives.ReadUInt32LittleEndian(status[(offset + sizeof(long))..]);

    // struct stat with numbers of 64 bits.
    [SupportedOSPlatform("macos")]
    private static FileStatus OnMac(ReadOnlySpan<byte> status) => new(
        BinaryPrimitives.ReadUInt32LittleEndian(status), BinaryPrimitives.ReadUInt64LittleEndian(status[8..]),
        BinaryPrimitives.ReadUInt16LittleEndian(status[6..]), BinaryPrimitives.ReadInt64LittleEndian(status[104..]) * BlockBytes,
        TimeOnMac(status, 64), TimeOnMac(status, 80), BinaryPrimitives.ReadUInt16LittleEndian(status[4..]));

    private static long TimeOnMac(ReadOnlySpan<byte> status, int offset) =>
        BinaryPrimitives.ReadInt64LittleEndian(status[offset..]) * SecondNanoseconds
        + BinaryPrimitives.ReadInt64LittleEndian(status[(offset + sizeof(long))..]);
}
