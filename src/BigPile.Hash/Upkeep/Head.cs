using System;
using System.Security.Cryptography;
using BigPile.Files;
using BigPile.Hash.Format;

namespace BigPile.Hash.Upkeep;

/// <summary>The head of an open file.</summary>
/// <remarks>Thread safety: <see cref="Write"/> by one thread at a time.</remarks>
internal sealed class Head(IBlockFile file, FileLayout layout, FileState state)
{
    internal FileState State { get; private set; } = state;

    /// <summary>Writes a state beside the one before, which stays until this one is whole.</summary>
    internal void Write(FileState state)
    {
        state = state with { Counter = State.Counter + 1 };
        Span<byte> bytes = stackalloc byte[FileState.Bytes];
        state.Write(bytes, layout.Salt);
        file.WriteAt(state.At, bytes);
        State = state;
    }

    /// <summary>Whether a file has no head yet: it is new, or its maker was killed before it was made.</summary>
    internal static bool IsMissing(IBlockFile file)
    {
        Span<byte> magic = stackalloc byte[sizeof(ulong)];
        if (file.Size < FileLayout.HeadBytes)
        {
            magic = magic[..(int)Math.Min(file.Size, magic.Length)];
            file.ReadAt(0, magic);
            return !magic.ContainsAnyExcept((byte)0);
        }
        file.ReadAt(0, magic);
        return !magic.ContainsAnyExcept((byte)0);
    }

    /// <summary>Reads a head; without a state when none is whole.</summary>
    internal static (FileLayout Layout, FileState? State) Read(IBlockFile file)
    {
        if (file.Size < FileLayout.HeadBytes)
        {
            throw new HashDatabaseCorruptException(
                $"'{file.Path}' is no hash database: it has {file.Size:N0} bytes, and the head alone has {FileLayout.HeadBytes:N0}. "
                + "Name another file.");
        }
        var head = new byte[FileLayout.HeadBytes];
        file.ReadAt(0, head);
        var layout = FileLayout.Read(head, file.Path, file.Size);
        return (layout, FileState.ReadNewest(head, layout.Salt));
    }

    /// <summary>Makes a head and empty buckets. The first word comes last, so half a head is none.</summary>
    internal static Head Make(IBlockFile file, HashTuning tuning, Guid bootId, ulong? seed = null)
    {
        var layout = new FileLayout(tuning.OffsetWidth, tuning.Alignment, tuning.Buckets, Dice(), seed ?? Dice());
        file.Truncate(0);
        file.Expand(layout.AreaStart);
        var bytes = new byte[FileLayout.HeadBytes];
        layout.Write(bytes);
        var state = new FileState { Counter = 1, Phase = FilePhase.Open, BootId = bootId };
        state.Write(bytes.AsSpan((int)state.At), layout.Salt);
        file.WriteAt(sizeof(ulong), bytes.AsSpan(sizeof(ulong)));
        file.WriteAt(0, bytes.AsSpan(0, sizeof(ulong)));
        return new Head(file, layout, state);
    }

    internal FileLayout Layout => layout;

    private static ulong Dice() => BitConverter.ToUInt64(RandomNumberGenerator.GetBytes(sizeof(ulong)));
}
