using System;
using System.IO;
using System.Text;

namespace BigPile.Storage;

/// <summary>The right to write a pile's directory: a lock of the operating system, which it gives back when the process dies.</summary>
/// <remarks>The owner's number lies in a second file: the locked one can't be read by others.</remarks>
internal sealed class DirectoryLock : IDisposable
{
    internal const string LockName = "lock";
    private const string OwnerName = "owner";
    private const int WouldBlock = 11;
    private const int WouldBlockMac = 35;
    private const int SharingViolation = unchecked((int)0x80070020);

    private readonly FileStream _file;

    private DirectoryLock(FileStream file) => _file = file;

    /// <summary>Takes the lock.</summary>
    /// <exception cref="PileStorageException">Another process has it.</exception>
    internal static DirectoryLock Take(string directory)
    {
        var owner = new DirectoryLock(Lock(directory, FileMode.OpenOrCreate, FileAccess.ReadWrite));
        File.WriteAllText(Path.Combine(directory, OwnerName), $"{Environment.ProcessId}\n", Encoding.ASCII);
        return owner;
    }

    /// <summary>Takes the lock for as long as somebody looks at the files, and changes nothing.</summary>
    /// <exception cref="PileStorageException">Another process has it.</exception>
    internal static DirectoryLock TakeForLooking(string directory) => new(Lock(directory, FileMode.Open, FileAccess.Read));

    public void Dispose() => _file.Dispose();

    private static FileStream Lock(string directory, FileMode mode, FileAccess access)
    {
        string path = Path.Combine(directory, LockName);
        try
        {
            return new FileStream(path, mode, access, FileShare.None);
        }
        catch (IOException e) when (e.HResult is WouldBlock or WouldBlockMac or SharingViolation)
        {
            throw new PileStorageException(
                $"The pile in '{directory}' is in use by process {ReadOwner(Path.Combine(directory, OwnerName))}. Stop it, use another directory, or open the pile for reading only.", e);
        }
    }

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
