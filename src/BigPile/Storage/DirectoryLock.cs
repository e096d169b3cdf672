using System;
using System.IO;
using System.Text;

namespace BigPile.Storage;

/// <summary>The right to write a pile's directory: a lock of the operating system, which it gives back when the process dies.</summary>
/// <remarks>The owner's number lies in a second file: the locked one can't be read by others.</remarks>
internal sealed class DirectoryLock : IDisposable
{
    private const string LockName = "lock";
    private const string OwnerName = "owner";

    private readonly FileStream _file;

    private DirectoryLock(FileStream file) => _file = file;

    /// <summary>Takes the lock.</summary>
    /// <exception cref="PileStorageException">Another process has it.</exception>
    internal static DirectoryLock Take(string directory)
    {
        string path = Path.Combine(directory, LockName);
        string ownerPath = Path.Combine(directory, OwnerName);
        FileStream file;
        try
        {
            file = new FileStream(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException e) when (e is not (DirectoryNotFoundException or PathTooLongException) && File.Exists(path))
        {
            throw new PileStorageException(
                $"The pile in '{directory}' is in use by process {ReadOwner(ownerPath)}. Stop it, or use another directory.", e);
        }
        File.WriteAllText(ownerPath, $"{Environment.ProcessId}\n", Encoding.ASCII);
        return new DirectoryLock(file);
    }

    public void Dispose() => _file.Dispose();

    private static string ReadOwner(string ownerPath)
    {
        try
        {
            return File.ReadAllText(ownerPath).Trim();
        }
        catch (IOException)
        {
            return "(unknown)";
        }
    }
}
