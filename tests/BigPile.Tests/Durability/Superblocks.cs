using System;
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

    internal static void Write(string directoryPath, SuperblockState state)
    {
        using HeldDirectory directory = HeldDirectory.Open(directoryPath);
        using SuperblockFile file = SuperblockFile.TryOpen(directory, Name, readOnly: false)!;
        file.Write(state);
    }
}
