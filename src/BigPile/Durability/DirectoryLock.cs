using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text;
using System.Threading;
using BigPile.Memory;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>
/// The exclusive right to write a pile's directory: an operating system lock, which the system drops when the process dies.
/// </summary>
/// <remarks>The owner's process id is in a second file: on some systems other processes can't read a locked file.</remarks>
internal sealed class DirectoryLock : IDisposable
{
    internal const string LockName = "lock";
    private const string OwnerName = "owner";
    private const int OwnerChars = 10; // digits of the longest process id
    private const int AliveOffset = 0; // the byte whose lock says that the owner lives

    private static readonly ManualResetEventSlim Never = new(); // never set: only its timeout and the token end a wait
    private static readonly TimeSpan Retry = TimeSpan.FromMilliseconds(20); // between two attempts to take the lock

    private DirectoryLock(HeldFile file) => File = file;

    internal HeldFile File { get; }

    /// <summary>Takes the lock.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="messageFor">
    /// Makes the message when another process holds the lock, from its process id; by default that the pile is in use.
    /// </param>
    /// <exception cref="PileStorageException">Another process holds the lock.</exception>
    internal static DirectoryLock Take(HeldDirectory directory, Func<string, string>? messageFor = null)
    {
        DirectoryLock owner = TryLock(directory, FileMode.OpenOrCreate, FileAccess.ReadWrite)
            ?? throw (messageFor == null ? InUse(directory, waited: default) : new PileStorageException(messageFor(ReadOwner(directory))));
        WriteOwner(directory);
        return owner;
    }

    /// <summary>Takes the lock of a pile that is being opened; waits for it up to <see cref="PileOptions.OpenTimeout"/>.</summary>
    /// <exception cref="PileStorageException">Another process holds the lock.</exception>
    /// <exception cref="OperationCanceledException">The opening was cancelled.</exception>
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
            _ = Never.Wait(Retry, options.OpenStop); // no system call reports the release of the lock
        }
    }

    /// <summary>Takes the lock for an inspection that changes nothing.</summary>
    /// <exception cref="PileStorageException">Another process holds the lock.</exception>
    internal static DirectoryLock TakeForReading(HeldDirectory directory) =>
        TryLock(directory, FileMode.Open, FileAccess.Read) ?? throw InUse(directory, waited: default);

    /// <summary>
    /// Marks the owner as alive for readers, by a lock on one byte. Testing the main lock would not do: a reader that tries to take it
    /// could keep the next owner out.
    /// </summary>
    /// <param name="isNeeded">Whether readers depend on it; otherwise a file system without such locks is tolerated.</param>
    /// <exception cref="IOException">The system refused, and readers depend on it.</exception>
    internal void MarkAlive(bool isNeeded)
    {
        try
        {
            if (OperatingSystem.IsLinux())
                _ = RangeLock.TryTake(File.Handle, File.Path, AliveOffset);
        }
        catch (IOException) when (!isNeeded)
        {
            // readers then see the pile as "not closed", which is also what an open pile looks like
        }
    }

    /// <summary>Whether a directory has an owner that is known to be alive. Always false elsewhere than on Linux.</summary>
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

    /// <summary>Whether an owner that called <see cref="MarkAlive"/> may still be alive.</summary>
    /// <param name="file">The lock file, opened by a reader.</param>
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

    // For messages only, so failures are ignored: a full disk must not prevent opening a pile to delete from it. Overwritten at a fixed
    // length, never truncated: a truncation frees disk blocks, which after a kill waits until the device has all that the killed process
    // stored.
    private static void WriteOwner(HeldDirectory directory)
    {
        try
        {
            using HeldFile file = directory.Open(OwnerName, FileMode.OpenOrCreate, FileAccess.ReadWrite);
            file.Write(Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"{Environment.ProcessId,-OwnerChars}\n")), 0);
        }
        catch (IOException)
        {
            // the "in use" message then lacks the process id
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
