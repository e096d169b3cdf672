namespace BigPile.Files.Storage;

/// <summary>A file that can get another name while it is open and locked.</summary>
internal interface IRenamableFile
{
    /// <summary>Whether the file's path still leads to it, as far as the system tells.</summary>
    bool HasItsName { get; }

    /// <summary>Gives the file another name in its directory; a file that has it is replaced.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    void Rename(string name);
}
