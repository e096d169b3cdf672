using System.Diagnostics;

namespace BigPile.Testing;

/// <summary>Programs that make, mount and unmount file systems.</summary>
internal static class DiskCommand
{
    /// <summary>Runs one, and tells whether it succeeded.</summary>
    internal static bool Run(string program, params string[] arguments)
    {
        using Process process =
            Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true, RedirectStandardOutput = true })!;
        process.WaitForExit();
        return process.ExitCode == 0;
    }

    /// <summary>
    /// Unmounts a file system that nobody uses any more. A program that is being started has all files of this process open for an instant,
    /// and meanwhile the system says that it is busy.
    /// </summary>
    internal static void Unmount(string path) => Eventually.True(() => Run("umount", path));
}
