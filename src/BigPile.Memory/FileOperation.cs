namespace BigPile.Memory;

/// <summary>What is done to a directory and its files, as a <see cref="IFileHook"/> is told.</summary>
internal enum FileOperation
{
    /// <summary>The directory itself is opened.</summary>
    OpenDirectory,

    /// <summary>A file that exists is opened.</summary>
    Open,

    /// <summary>A file is made, or emptied.</summary>
    Create,

    /// <summary>A file is locked for its owner alone.</summary>
    Lock,

    /// <summary>A file's length or state is asked for.</summary>
    Stat,

    /// <summary>Bytes are read by a call; those that are read through a map are not told.</summary>
    Read,

    /// <summary>Bytes are written by a call; those that are stored through a map are not told.</summary>
    Write,

    /// <summary>A file gets another length.</summary>
    SetLength,

    /// <summary>The space of a file is taken from the disk.</summary>
    Allocate,

    /// <summary>A file is mapped into memory.</summary>
    Map,

    /// <summary>A file is written through to its device.</summary>
    Sync,

    /// <summary>The names in the directory are written through to its device.</summary>
    SyncDirectory,

    /// <summary>A file gets another name.</summary>
    Rename,

    /// <summary>A file is removed.</summary>
    Delete,

    /// <summary>The names in the directory are read.</summary>
    List,
}
