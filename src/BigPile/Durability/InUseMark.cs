using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// Marks a directory as in use: the lock file contains its own identity, which is wrong in a copy. Only closing removes the mark.
/// </summary>
/// <remarks>
/// <code>
/// bytes 80..87  the number of the lock's file, exclusive-or the nanosecond in which it was made
/// bytes 88..91  CRC-32C of that
/// </code>
/// This tells a copy of a pile in use from what a kill leaves. Never synced: it may be missing after a power cut. It detects neither a copy
/// without the lock file, nor one written into the files of the original directory.
/// </remarks>
internal static class InUseMark
{
    /// <summary>The fault that is reported for a copy.</summary>
    internal const string Fault =
        "this directory is a copy that was made while the pile was in use, or not closed: what changed meanwhile may be missing, or be as "
        + "it was. Copy a pile that is closed";

    private const int OffsetBytes = 80; // behind the SyncRecord
    private const int SizeBytes = 12; // 8 of the number, 4 of its checksum

    /// <summary>Whether this directory is a copy of one that was in use.</summary>
    internal static bool IsCopied(HeldDirectory directory)
    {
        try
        {
            using HeldFile? file = directory.TryOpen(DirectoryLock.LockName, FileAccess.Read);
            return file != null && IsCopied(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Whether this directory is a copy of one that was in use.</summary>
    /// <param name="file">The lock file.</param>
    internal static bool IsCopied(HeldFile file)
    {
        Span<byte> mark = stackalloc byte[SizeBytes];
        try
        {
            return FileStatus.Of(file.Handle) is { } status && file.Read(mark, OffsetBytes) == SizeBytes
                && BinaryPrimitives.ReadUInt32LittleEndian(mark[sizeof(ulong)..]) == Checksum.Of(mark[..sizeof(ulong)])
                && BinaryPrimitives.ReadUInt64LittleEndian(mark) is var number && number != 0 && number != NumberOf(status);
        }
        catch (IOException)
        {
            return false;
        }
    }

    /// <summary>Marks the directory as in use.</summary>
    internal static void Set(HeldFile file)
    {
        if (FileStatus.Of(file.Handle) is { } status)
            Write(file, NumberOf(status));
    }

    /// <summary>Removes the mark: the pile is closed, and may be copied.</summary>
    internal static void Remove(HeldFile file) => Write(file, 0);

    // The file number alone is not enough: the file system soon reuses it.
    private static ulong NumberOf(FileStatus status) => status.Number ^ (ulong)status.BirthTime;

    private static void Write(HeldFile file, ulong number)
    {
        var mark = new byte[SizeBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(mark, number);
        BinaryPrimitives.WriteUInt32LittleEndian(mark.AsSpan(sizeof(ulong)), Checksum.Of(mark.AsSpan(0, sizeof(ulong))));
        try
        {
            file.Write(mark, OffsetBytes);
        }
        catch (IOException)
        {
            // a full disk must not prevent opening a pile; a copy then looks like a kill
        }
    }
}
