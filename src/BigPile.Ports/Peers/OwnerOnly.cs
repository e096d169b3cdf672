using System;
using System.IO;
using BigPile.Memory;

namespace BigPile.Ports.Peers;

/// <summary>What is shared is shared with processes of the same user only. On Windows files have the rights of their directory.</summary>
internal static class OwnerOnly
{
    private const UnixFileMode OfFiles = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode OfOthers = ~(OfFiles | UnixFileMode.UserExecute);

    /// <summary>Takes all others' rights to a file away.</summary>
    internal static void Give(HeldFile file) => HeldDirectory.Translate(() =>
    {
        if (!OperatingSystem.IsWindows() && File.GetUnixFileMode(file.Handle) != OfFiles)
            File.SetUnixFileMode(file.Handle, OfFiles);
    });

    /// <summary>Makes a directory that no other user can look into.</summary>
    /// <exception cref="IOException">There is one that others have rights to: they could put files of theirs there.</exception>
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
