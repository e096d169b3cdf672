namespace BigPile.Memory;

/// <summary>Stands between a directory and the system; how tests let each operation fail in turn.</summary>
/// <remarks>
/// An operation fails by the exception that is thrown here: an I/O error, or one of denied access, as the system's would be.
/// </remarks>
internal interface IFileHook
{
    /// <summary>Is told of an operation that is about to be done; it is not when this throws.</summary>
    void Before(FileOperation operation, string path);

    /// <summary>How many bytes of a write reach the file; fewer than there are make it fail after them.</summary>
    int Tear(string path, int lengthBytes) => lengthBytes;

    /// <summary>Is told of an operation that was done; its caller hears that it failed when this throws.</summary>
    void After(FileOperation operation, string path);
}
