using System;
using System.IO;
using BigPile.Memory;

namespace BigPile.Ports.Peers;

/// <summary>Restricts files to processes of the same user. On Windows files inherit the rights of their directory.</summary>
internal static class OwnerOnly
{
    private const UnixFileMode OfFiles = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode OfOthers = ~(OfFiles | UnixFileMode.UserExecute);

    /// <summary>Removes the rights of all other users to a file.</summary>
    internal static void Give(HeldFile file) => HeldDirectory.Translate(() =>
    {
        if (!OperatingSystem.IsWindows() && File.GetUnixFileMode(file.Handle) != OfFiles)
            File.SetUnixFileMode(file.Handle, OfFiles);
    });

    /// <summary>Creates a directory that no other user can access.</summary>
    /// <exception cref="IOException">Other users have rights to the directory: they could put their own files there.</exception>
    internal static void MakeDirectory(string path)
    {
        HeldDirectory.Translate(() =>
        {
            if (OperatingSystem.IsWindows())
                Directory.CreateDirectory(path);
            else
                Directory.CreateDirectory(path, OfFiles | UnixFileMode.UserExecute);
        });
        bool isLink = new DirectoryInfo(path).LinkTarget != null;
        if (isLink || (!OperatingSystem.IsWindows() && (File.GetUnixFileMode(path) & OfOthers) != 0))
            throw new IOException($"Other users have rights to '{path}', or it is a link: arenas need a directory of one user's own.");
    }
}
