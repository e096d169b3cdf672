using System.IO;
using BigPile.Files;
using BigPile.Files.Storage;

namespace BigPile.Hash.Maintenance;

/// <summary>Makes the file of a database that there is not yet: whole under another name, and then it gets its own.</summary>
/// <remarks>So a file that has the name and no head is one that was damaged, and none whose maker was killed.</remarks>
internal static class NewFile
{
    /// <summary>Makes it; <see langword="null"/> when another process has made it meanwhile.</summary>
    /// <exception cref="BlockFileLockedException">Another process makes it.</exception>
    internal static (IBlockFile Block, Head Head)? TryMake(string path, HashDatabaseOptions options, HashTuning tuning)
    {
        string name = path + Opening.RebuildSuffix;
        if (Directory.Exists(name) || new FileInfo(name).LinkTarget != null)
            Opening.DeleteRebuilt(name);
        IBlockFile block = BlockFile.Open(options.FileKind, name, Opening.FileOptionsOf(options, FileMode.OpenOrCreate));
        if (!((IRenamableFile)block).HasItsName)
        {
            block.Dispose(); // it has got its own
            return null;
        }
        bool isDone = false;
        try
        {
            if (Path.Exists(path))
                return null;
            var head = Head.Make(block, tuning, Opening.BootIdOf(options));
            block.Synchronize(hard: true); // so that a power cut leaves a database, if an empty one
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
