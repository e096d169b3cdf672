using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Testing;

/// <summary>What a kill leaves of a mapped pile, with the record of what the device has.</summary>
internal static class KilledPile
{
    private const int SuperblockAt = 24;
    private const int CatalogAt = 48;
    private const int RecordBytes = 76;

    /// <summary>
    /// Like <see cref="PileFiles.Copy"/>; the copy's lock file has the record of the original's files, made valid for the copies.
    /// </summary>
    internal static void Copy(string from, string to)
    {
        byte[] saved = RecordOf(from);
        PileFiles.Copy(from, to);
        if (saved.Length != 0 && RecordOf(from).AsSpan().SequenceEqual(saved))
            File.WriteAllBytes(Path.Combine(to, DirectoryLock.LockName), With(saved, to));
    }

    // None when it does not fit the files.
    private static byte[] RecordOf(string directory)
    {
        if (!OperatingSystem.IsLinux())
            return []; // nobody else can read the file there
        using HeldDirectory held = HeldDirectory.Open(directory);
        using HeldFile? file = held.TryOpen(DirectoryLock.LockName, FileAccess.Read);
        byte[] saved = file?.ReadAll() is { Length: >= RecordBytes } all ? all[..RecordBytes] : []; // the mark behind it is of the place
        return saved.Length == RecordBytes && With(saved, directory).AsSpan().SequenceEqual(saved) ? saved : [];
    }

    private static byte[] With(byte[] saved, string directory)
    {
        var other = (byte[])saved.Clone();
        Write(other.AsSpan(SuperblockAt), Path.Combine(directory, PileDirectory.SuperblockName));
        Write(other.AsSpan(CatalogAt), Path.Combine(directory, PileDirectory.CatalogName));
        int checksumAt = RecordBytes - sizeof(uint);
        BinaryPrimitives.WriteUInt32LittleEndian(other.AsSpan(checksumAt), Checksum.Of(other.AsSpan(0, checksumAt)));
        return other;
    }

    private static void Write(Span<byte> place, string path)
    {
        if (FileStatus.Of(path) is not { } status)
            return;
        BinaryPrimitives.WriteUInt64LittleEndian(place, status.Device);
        BinaryPrimitives.WriteUInt64LittleEndian(place[8..], status.Number);
        BinaryPrimitives.WriteInt64LittleEndian(place[16..], status.ChangeTime);
    }
}
