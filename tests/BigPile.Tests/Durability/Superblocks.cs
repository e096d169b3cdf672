using System;
using System.IO;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Tests.Durability;

/// <summary>The superblock of a pile that may be open.</summary>
internal static class Superblocks
{
    private const string Name = "superblock";

    internal static SuperblockState Read(string directoryPath)
    {
        using HeldDirectory directory = HeldDirectory.Open(directoryPath);
        using SuperblockFile file = SuperblockFile.TryOpen(directory, Name, readOnly: true)!;
        return file.Read(new FaultLog());
    }

    internal static void Change(string directoryPath, Action<SuperblockState> change)
    {
        SuperblockState state = Read(directoryPath);
        change(state);
        Write(directoryPath, state);
    }

    /// <summary>Writes both places by no way of the product's, which refuses what it would not read.</summary>
    internal static void Write(string directoryPath, SuperblockState state)
    {
        using var file = new FileStream(Path.Combine(directoryPath, Name), FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        for (int place = 0; place < 2; place++)
        {
            state.Sequence++;
            file.Position = state.Sequence % 2 * SuperblockFile.CopyBytes;
            file.Write(state.Encode());
        }
    }
}
