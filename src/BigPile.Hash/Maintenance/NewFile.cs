using System.IO;
using BigPile.Files;
using BigPile.Files.Storage;

namespace BigPile.Hash.Maintenance;

/// <summary>Creates the file of a new database: completely under a temporary name, then renames it.</summary>
/// <remarks>So a file with the final name and no header is damaged, never unfinished.</remarks>
internal static class NewFile
{
    /// <summary>Creates it; <see langword="null"/> if another process has done so meanwhile.</summary>
    /// <exception cref="BlockFileLockedException">Another process is creating it.</exception>
    internal static (IBlockFile Block, Head Head)? TryMake(string path, HashDatabaseOptions options, HashTuning tuning)
    {
        string name = path + Opening.RebuildSuffix;
        if (Directory.Exists(name) || new FileInfo(name).LinkTarget != null)
            Opening.DeleteRebuilt(name);
        IBlockFile block = BlockFile.Open(options.FileKind, name, Opening.FileOptionsOf(options, FileMode.OpenOrCreate));
        if (!((IRenamableFile)block).HasItsName)
        {
            block.Dispose(); // another process has renamed it
            return null;
        }
        bool isDone = false;
        try
        {
            if (Path.Exists(path))
                return null;
            var head = Head.Make(block, tuning, Opening.BootIdOf(options));
            block.Synchronize(hard: !options.Temporary); // a power cut leaves an empty database
            Rebuilder.Rename(block, Path.GetFileName(path));
            isDone = true;
            return (block, head);
        }
        finally
        {
            if (!isDone)
                Rebuilder.Discard(block, name);
        }
    }
}
