namespace BigPile.Memory;

/// <summary>An operation on a directory or its files, as an <see cref="IFileHook"/> sees it.</summary>
internal enum FileOperation
{
    /// <summary>The directory itself is opened.</summary>
    OpenDirectory,

    /// <summary>An existing file is opened.</summary>
    Open,

    /// <summary>A file is created, or truncated.</summary>
    Create,

    /// <summary>A file is locked for its owner alone.</summary>
    Lock,

    /// <summary>A file's length or status is read.</summary>
    Stat,

    /// <summary>Bytes are read by a call; reads through a map are not reported.</summary>
    Read,

    /// <summary>Bytes are written by a call; stores through a map are not reported.</summary>
    Write,

    /// <summary>A file's length is changed.</summary>
    SetLength,

    /// <summary>Disk space of a file is allocated.</summary>
    Allocate,

    /// <summary>A file is mapped into memory.</summary>
    Map,

    /// <summary>A file is synced.</summary>
    Sync,

    /// <summary>The directory is synced.</summary>
    SyncDirectory,

    /// <summary>A file is renamed.</summary>
    Rename,

    /// <summary>A file is deleted.</summary>
    Delete,

    /// <summary>The directory is listed.</summary>
    List,
}

/// <summary>Intercepts the operations of a directory; tests use it to make each fail in turn.</summary>
/// <remarks>
/// An operation fails by an exception thrown here: an <see cref="System.IO.IOException"/>, or one of denied access, as the system would
/// throw.
/// </remarks>
internal interface IFileHook
{
    /// <summary>Called before an operation; an exception prevents it.</summary>
    void Before(FileOperation operation, string path);

    /// <summary>How many bytes of a write reach the file; if fewer than all, the write then fails.</summary>
    int Tear(string path, int lengthBytes) => lengthBytes;

    /// <summary>Called after an operation; an exception makes it look failed.</summary>
    void After(FileOperation operation, string path);
}
