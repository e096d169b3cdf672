namespace BigPile.Memory;

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
