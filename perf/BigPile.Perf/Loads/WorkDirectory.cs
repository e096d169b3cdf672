using System;
using System.IO;
using System.Linq;

namespace BigPile.Perf.Loads;

/// <summary>The temporary directory of a mapped pile under load. It is removed completely.</summary>
/// <remarks>The pile gets its own directory inside the user's one, so that only what the load created is removed.</remarks>
internal sealed class WorkDirectory : IDisposable
{
    private const string TemporaryPrefix = "bigpile-perf-";
    private const string PileName = "pile";

    private readonly bool _isOurs;

    private WorkDirectory(string path, bool isOurs)
    {
        Path = path;
        PilePath = System.IO.Path.Combine(path, PileName);
        _isOurs = isOurs;
    }

    internal string Path { get; } // the directory that the user named, or the temporary one
    internal string PilePath { get; } // the load's own directory in it, such as the pile's

    /// <summary>Creates the directory if the store is mapped.</summary>
    /// <inheritdoc cref="Create" path="/param|/exception"/>
    internal static WorkDirectory? CreateFor(StoreKind store, string? requested) => store == StoreKind.Mapped ? Create(requested) : null;

    /// <summary>Makes the directory.</summary>
    /// <param name="requested">The user's directory, which must be empty or missing; <see langword="null"/> for a temporary one.</param>
    /// <param name="option">How the user named it.</param>
    internal static WorkDirectory Create(string? requested, string option = "--dir")
    {
        if (requested == null)
            return new WorkDirectory(Directory.CreateTempSubdirectory(TemporaryPrefix).FullName, isOurs: true);
        string path = System.IO.Path.GetFullPath(requested);
        if (File.Exists(path))
            throw new LoadException($"{option} '{path}' is a file. Name a directory that is empty or does not exist.");
        bool isOurs = !Directory.Exists(path);
        if (!isOurs && Directory.EnumerateFileSystemEntries(path).Any())
            throw new LoadException($"{option} '{path}' is not empty. Name a directory that is empty or does not exist.");
        UserDirectory.Demand(path, option);
        return new WorkDirectory(path, isOurs);
    }

    public void Dispose()
    {
        if (Directory.Exists(PilePath))
            Directory.Delete(PilePath, recursive: true);
        if (_isOurs && !Directory.EnumerateFileSystemEntries(Path).Any())
            Directory.Delete(Path);
    }
}

/// <summary>A directory that the user named, for writing.</summary>
internal static class UserDirectory
{
    private const string ProbePrefix = "bigpile-perf-";

    /// <summary>
    /// Creates it if it is missing, and checks that files can be created in it, because a load may run long before it writes its first.
    /// </summary>
    /// <param name="path">The directory.</param>
    /// <param name="option">How the user named it.</param>
    internal static void Demand(string path, string option)
    {
        try
        {
            Directory.CreateDirectory(path);
            string probe = Path.Combine(path, ProbePrefix + Guid.NewGuid().ToString("n"));
            File.WriteAllBytes(probe, []);
            File.Delete(probe);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new LoadException($"{option} '{path}' can't be used: {e.Message} Name a directory that can be written.", e);
        }
    }
}
