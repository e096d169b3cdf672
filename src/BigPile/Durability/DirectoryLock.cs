using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>The right to write a pile's directory: a lock of the operating system, which it gives back when the process dies.</summary>
/// <remarks>The owner's number lies in a second file: on some systems the locked one can't be read by others.</remarks>
internal sealed class DirectoryLock : IDisposable
{
    internal const string LockName = "lock";
    private const string OwnerName = "owner";
    private const int OwnerChars = 10; // of the longest number
    private const int AliveOffset = 0;

    private static readonly ManualResetEventSlim Never = new();
    private static readonly TimeSpan Retry = TimeSpan.FromMilliseconds(20);

    private DirectoryLock(HeldFile file) => File = file;

    /// <summary>The locked file.</summary>
    internal HeldFile File { get; }

    /// <summary>Takes the lock.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="messageFor">What to tell when the process of a number has it; by itself that it is a pile's.</param>
    /// <exception cref="PileStorageException">Another process has it.</exception>
    internal static DirectoryLock Take(HeldDirectory directory, Func<string, string>? messageFor = null)
    {
        DirectoryLock owner = TryLock(directory, FileMode.OpenOrCreate, FileAccess.ReadWrite)
            ?? throw (messageFor == null ? InUse(directory, waited: default) : new PileStorageException(messageFor(ReadOwner(directory))));
        WriteOwner(directory);
        return owner;
    }

    /// <summary>Takes the lock of a pile that is being opened, and waits for it as long as the options say.</summary>
    /// <exception cref="PileStorageException">Another process has it.</exception>
    /// <exception cref="OperationCanceledException">It is not to be opened any more.</exception>
    internal static DirectoryLock Take(HeldDirectory directory, PileOptions options, ILogger logger)
    {
        long began = Stopwatch.GetTimestamp();
        bool isLogged = false;
        while (true)
        {
            if (TryLock(directory, FileMode.OpenOrCreate, FileAccess.ReadWrite) is { } owner)
            {
                WriteOwner(directory);
                return owner;
            }
            if (Stopwatch.GetElapsedTime(began) >= options.OpenTimeout)
                throw InUse(directory, options.OpenTimeout);
            if (!isLogged)
                logger.LogInformation(
                    "The pile in '{Directory}' is in use by process {Owner}; waiting for it up to {Timeout}", directory.Path,
                    ReadOwner(directory), options.OpenTimeout);
            isLogged = true;
            _ = Never.Wait(Retry, options.OpenStop); // the system tells nobody that a lock was let go
        }
    }

    /// <summary>Takes the lock for as long as somebody looks at the files, and changes nothing.</summary>
    /// <exception cref="PileStorageException">Another process has it.</exception>
    internal static DirectoryLock TakeForReading(HeldDirectory directory) =>
        TryLock(directory, FileMode.Open, FileAccess.Read) ?? throw InUse(directory, waited: default);

    /// <summary>
    /// Has readers know whether the owner lives. The lock itself does not tell: a reader that tried to take it would keep the next owner
    /// out.
    /// </summary>
    /// <param name="isNeeded">Whether readers rely on it; else a file system that has no such locks is none the worse.</param>
    /// <exception cref="IOException">The system refused, and readers rely on it.</exception>
    internal void MarkAlive(bool isNeeded)
    {
        try
        {
            if (OperatingSystem.IsLinux())
                _ = RangeLock.TryTake(File.Handle, File.Path, AliveOffset);
        }
        catch (IOException) when (!isNeeded)
        {
            // a reader takes the pile for one that was not closed, which is said of it as long as it is in use
        }
    }

    /// <summary>Whether an owner of a directory is known to live. Elsewhere than on Linux nobody knows.</summary>
    internal static bool HasLiveOwner(HeldDirectory directory)
    {
        try
        {
            using HeldFile? file = OperatingSystem.IsLinux() ? directory.TryOpen(LockName, FileAccess.Read) : null;
            return file != null && IsOwnerAlive(file);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Whether an owner may live that has stated so.</summary>
    /// <param name="file">The lock's file, opened by a reader.</param>
    internal static bool IsOwnerAlive(HeldFile file) =>
        !OperatingSystem.IsLinux() || RangeLock.IsHeldByOther(file.Handle, file.Path, AliveOffset);

    public void Dispose()
    {
        FileOpening.Unlock(File.Handle);
        File.Dispose();
    }

    private static DirectoryLock? TryLock(HeldDirectory directory, FileMode mode, FileAccess access) =>
        directory.TryOpenLocked(LockName, mode, access) is { } file ? new DirectoryLock(file) : null;

    private static PileStorageException InUse(HeldDirectory directory, TimeSpan waited) => new(
        $"The pile in '{directory.Path}' is in use by process {ReadOwner(directory)}"
        + (waited == TimeSpan.Zero ? "" : $", still after {waited.TotalSeconds:N0} s")
        + ". Stop it, use another directory, or have the opening wait for it: PileOptions.OpenTimeout, BigPileOptions.OpenTimeout, "
        + "Pile:OpenSeconds of a server.");

    // For messages only: a full disk must not keep anybody from opening a pile to delete from it. It is written over, and always as long:
    // a truncation frees blocks, and behind a kill that waits for the disk, which has all to write that the killed process had left.
    private static void WriteOwner(HeldDirectory directory)
    {
        try
        {
            using HeldFile file = directory.Open(OwnerName, FileMode.OpenOrCreate, FileAccess.ReadWrite);
            file.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Environment.ProcessId,-OwnerChars}\n")), 0);
        }
        catch (IOException)
        {
            // the message to whoever finds the pile in use does not say by whom
        }
    }

    private static string ReadOwner(HeldDirectory directory)
    {
        try
        {
            using HeldFile? file = directory.TryOpen(OwnerName, FileAccess.Read);
            string number = file == null ? "" : Encoding.ASCII.GetString(file.ReadAll()).Trim();
            return number.Length != 0 ? number : "(unknown)";
        }
        catch (IOException)
        {
            return "(unknown)";
        }
    }
}
