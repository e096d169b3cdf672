using System;
using System.Diagnostics;
using System.Security.Cryptography;
using BigPile.Files;
using BigPile.Hash.Format;

namespace BigPile.Hash.Maintenance;

/// <summary>The header of an open file.</summary>
/// <remarks>Thread safety: <see cref="Write"/> by one thread at a time.</remarks>
internal sealed class Head(IBlockFile file, FileLayout layout, FileState state)
{
    internal FileState State { get; private set; } = state;

    /// <summary>Writes a state to the other sector: the one before stays valid until this one is complete.</summary>
    internal void Write(FileState state)
    {
        Debug.Assert(state.Phase.MayFollow(State.Phase), "The phase may follow the one that the file states.");
        state = state with { Counter = State.Counter + 1 };
        Debug.Assert(state.At != State.At, "The state that is valid until now is not written over.");
        Span<byte> bytes = stackalloc byte[FileState.Bytes];
        state.Write(bytes, layout.Salt);
        file.WriteAt(state.At, bytes);
        State = state;
    }

    /// <summary>Whether a file is empty, or has only zeros.</summary>
    internal static bool IsBlank(IBlockFile file)
    {
        var part = new byte[(int)Math.Min(1 << 20, file.Size)];
        for (long at = 0; at < file.Size; at += part.Length)
        {
            Span<byte> read = part.AsSpan(0, (int)Math.Min(part.Length, file.Size - at));
            file.ReadAt(at, read);
            if (read.ContainsAnyExcept((byte)0))
                return false;
        }
        return true;
    }

    /// <summary>Reads a header. The state is <see langword="null"/> if none is intact.</summary>
    internal static (FileLayout Layout, FileState? State) Read(IBlockFile file)
    {
        if (file.Size < FileLayout.HeadBytes)
        {
            throw new HashDatabaseCorruptException(
                $"'{file.Path}' is no hash database, or has been cut: it has {file.Size:N0} bytes, and the head alone has "
                + $"{FileLayout.HeadBytes:N0}. Delete it if there never was a database; else " + HashDatabaseCorruptException.Remedy);
        }
        byte[] head = ReadBytes(file);
        var layout = FileLayout.Read(head, file.Path, file.Size);
        return (layout, FileState.ReadNewest(head, layout.Salt));
    }

    /// <summary>Reads what is intact of a header, and extends the file to the end of its buckets.</summary>
    internal static (FileLayout Layout, FileState? State) Restore(IBlockFile file)
    {
        byte[] head = ReadBytes(file);
        Span<byte> copy = head.AsSpan(FileLayout.CopyAt);
        bool isFirstWhole = FileLayout.IsWhole(head);
        var layout = FileLayout.Read(!isFirstWhole && FileLayout.IsWhole(copy) ? copy : head, file.Path, long.MaxValue);
        if (!isFirstWhole)
            file.WriteAt(0, copy[..FileLayout.Bytes]);
        if (file.Size < layout.AreaStart)
            file.Truncate(layout.AreaStart);
        return (layout, FileState.ReadNewest(head, layout.Salt));
    }

    /// <summary>Whether the copy of the first sector is intact.</summary>
    internal static bool HasCopy(IBlockFile file, FileLayout layout)
    {
        byte[] head = ReadBytes(file);
        return !layout.HasTags || head.AsSpan(0, FileLayout.Bytes).SequenceEqual(head.AsSpan(FileLayout.CopyAt, FileLayout.Bytes));
    }

    /// <summary>Writes a header and empty buckets. The magic word comes last, so an unfinished header is not one.</summary>
    internal static Head Make(IBlockFile file, HashTuning tuning, Guid bootId, ulong? seed = null)
    {
        var layout = new FileLayout(FileLayout.Newest, tuning.OffsetWidth, tuning.Alignment, tuning.Buckets, Dice(), seed ?? Dice());
        file.Truncate(0);
        file.Expand(layout.AreaStart);
        Debug.Assert(file.Size == layout.AreaStart, "A new file ends behind its buckets.");
        var bytes = new byte[FileLayout.HeadBytes];
        layout.Write(bytes);
        layout.Write(bytes.AsSpan(FileLayout.CopyAt));
        var state = new FileState { Counter = 1, Phase = FilePhase.Open, BootId = bootId };
        state.Write(bytes.AsSpan((int)state.At), layout.Salt);
        file.WriteAt(sizeof(ulong), bytes.AsSpan(sizeof(ulong)));
        file.WriteAt(0, bytes.AsSpan(0, sizeof(ulong)));
        return new Head(file, layout, state);
    }

    internal FileLayout Layout => layout;

    // Bytes behind the end of the file are zero.
    private static byte[] ReadBytes(IBlockFile file)
    {
        var head = new byte[FileLayout.HeadBytes];
        file.ReadAt(0, head.AsSpan(0, (int)Math.Min(head.Length, file.Size)));
        return head;
    }

    private static ulong Dice() => BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
}
