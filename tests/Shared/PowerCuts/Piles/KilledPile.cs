using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Testing;

/// <summary>What a kill leaves of a mapped pile, with what is noted of the device.</summary>
internal static class KilledPile
{
    private const int SuperblockAt = 24;
    private const int CatalogAt = 48;
    private const int NoteBytes = 76;

    /// <summary>As <see cref="PileFiles.Copy"/>; whoever opens the copy finds noted of its files what the original's had.</summary>
    internal static void Copy(string from, string to)
    {
        byte[] note = NoteOf(from);
        PileFiles.Copy(from, to);
        if (note.Length != 0 && NoteOf(from).AsSpan().SequenceEqual(note))
            File.WriteAllBytes(Path.Combine(to, DirectoryLock.LockName), With(note, to));
    }

    // None when it does not fit the files.
    private static byte[] NoteOf(string directory)
    {
        if (!OperatingSystem.IsLinux())
            return []; // nobody else can read the file there
        using HeldDirectory held = HeldDirectory.Open(directory);
        using HeldFile? file = held.TryOpen(DirectoryLock.LockName, FileAccess.Read);
        byte[] note = file?.ReadAll() is { Length: >= NoteBytes } all ? all[..NoteBytes] : []; // the mark behind it is of the place
        return note.Length == NoteBytes && With(note, directory).AsSpan().SequenceEqual(note) ? note : [];
    }

    private static byte[] With(byte[] note, string directory)
    {
        var other = (byte[])note.Clone();
        Write(other.AsSpan(SuperblockAt), Path.Combine(directory, PileDirectory.SuperblockName));
        Write(other.AsSpan(CatalogAt), Path.Combine(directory, PileDirectory.CatalogName));
        int checksumAt = NoteBytes - sizeof(uint);
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
