namespace BigPile.Files.Storage;

/// <summary>A file that can check itself.</summary>
internal interface ICheckedFile
{
    /// <summary>Checks that size, capacity, mapping, file and buffer agree, for tests: nothing else may use the file meanwhile.</summary>
    /// <exception cref="System.InvalidOperationException">They do not.</exception>
    void CheckInvariants();
}
