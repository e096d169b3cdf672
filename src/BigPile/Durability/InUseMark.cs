using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// The mark of a directory in use: its lock's file has in it which file it is, which is not true of a copy. Only a close removes it.
/// </summary>
/// <remarks>
/// <code>
/// bytes 80..87  the number of the lock's file, exclusive-or the nanosecond in which it was made
/// bytes 88..91  CRC-32C of that
/// </code>
/// So a copy that was made beside an owner is told from what a kill leaves. It is never written through: behind a power cut there may be
/// none. A copy without the lock, or one that was written into the files of the directory that it was made of, tells nothing either.
/// </remarks>
internal static class InUseMark
{
    /// <summary>What is said of a copy.</summary>
    internal const string Fault =
        "this directory is a copy that was made while the pile was in use, or not closed: what changed meanwhile may be missing, or be as "
        + "it was. Copy a pile that is closed";

    private const int OffsetBytes = 80; // behind the note of what the device has
    private const int SizeBytes = 12;

    /// <summary>Whether a directory in use was copied to where it is now.</summary>
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

    /// <summary>Whether a directory in use was copied to where it is now.</summary>
    /// <param name="file">The lock's file.</param>
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

    /// <summary>States that the directory is in use here.</summary>
    internal static void Set(HeldFile file)
    {
        if (FileStatus.Of(file.Handle) is { } status)
            Write(file, NumberOf(status));
    }

    /// <summary>States that it is closed, and may be copied.</summary>
    internal static void Remove(HeldFile file) => Write(file, 0);

    // A number alone is soon given to another file.
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
            // a full disk keeps nobody from opening a pile: a copy of it is not told from a kill
        }
    }
}
