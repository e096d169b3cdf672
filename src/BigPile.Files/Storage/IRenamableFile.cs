namespace BigPile.Files.Storage;

/// <summary>A file that can get another name while it is open and locked.</summary>
internal interface IRenamableFile
{
    /// <summary>Gives the file another name in its directory; a file that has it is replaced.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    void Rename(string name);
}
