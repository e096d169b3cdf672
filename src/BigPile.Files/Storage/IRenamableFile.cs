namespace BigPile.Files.Storage;

/// <summary>A file that can be renamed while it is open and locked.</summary>
internal interface IRenamableFile
{
    /// <summary>Whether the path still leads to the file, as far as the system can tell.</summary>
    bool HasItsName { get; }

    /// <summary>Renames the file within its directory, replacing any file of that name.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    void Rename(string name);
}

/// <summary>A file that can check itself.</summary>
internal interface ICheckedFile
{
    /// <summary>Checks that size, capacity, mapping, file and buffer agree, for tests: nothing else may use the file meanwhile.</summary>
    /// <exception cref="System.InvalidOperationException">They do not.</exception>
    void CheckInvariants();
}
