using System;
using System.Collections.Immutable;
using System.IO;
using BigPile.Files.Kinds;
using BigPile.Files.Storage;

namespace BigPile.Files;

/// <summary>Opens block files.</summary>
public static class BlockFile
{
    private static readonly string[] Names = ["std", "mmap-para", "mmap-atom", "pos-para", "pos-atom"];

    /// <summary>All kinds, in the order of their numbers.</summary>
    public static ImmutableArray<BlockFileKind> Kinds { get; } = [.. Enum.GetValues<BlockFileKind>()];

    /// <summary>Opens and locks a file.</summary>
    /// <param name="kind">How the file is accessed. Any kind opens a file that another one wrote.</param>
    /// <param name="path">The file; its directory must exist.</param>
    /// <param name="options">Options; the defaults if <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">An option is invalid; the message names it.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist, and was not to be created.</exception>
    /// <exception cref="BlockFileLockedException">The file is already open.</exception>
    /// <exception cref="IOException">The file cannot be used, or access is denied.</exception>
    public static IBlockFile Open(BlockFileKind kind, string path, BlockFileOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        options ??= new BlockFileOptions();
        options.Validate();
        _ = NameOf(kind);
        OpenedFile file = OpenedFile.Open(path, options);
        try
        {
            return kind switch
            {
                BlockFileKind.Standard => new StandardFile(file),
                BlockFileKind.MappedParallel => new ParallelFile<MappedBytes>(file, kind),
                BlockFileKind.MappedAtomic => new AtomicFile<MappedBytes>(file, kind),
                BlockFileKind.PositionalParallel => new ParallelFile<PositionalBytes>(file, kind),
                _ => new AtomicFile<PositionalBytes>(file, kind),
            };
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>The short name of a kind: std, mmap-para, mmap-atom, pos-para or pos-atom.</summary>
    public static string NameOf(BlockFileKind kind) =>
        (uint)kind < (uint)Names.Length ? Names[(int)kind] : throw new ArgumentOutOfRangeException(nameof(kind), kind, "No such kind.");

    /// <summary>Finds a kind by its short name.</summary>
    public static bool TryParseKind(string? name, out BlockFileKind kind)
    {
        int index = Array.IndexOf(Names, name);
        kind = (BlockFileKind)Math.Max(index, 0);
        return index >= 0;
    }

    /// <summary>Whether the operations of a kind are atomic.</summary>
    public static bool IsAtomic(BlockFileKind kind) =>
        kind is BlockFileKind.Standard or BlockFileKind.MappedAtomic or BlockFileKind.PositionalAtomic;
}
