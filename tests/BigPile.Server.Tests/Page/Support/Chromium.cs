using System;
using System.IO;
using System.Linq;

namespace BigPile.Server.Tests.Page.Support;

/// <summary>The browser of this machine.</summary>
internal static class Chromium
{
    private static readonly string[] Names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

    /// <summary>Its program, or <see langword="null"/> where there is none.</summary>
    internal static string? ExecutablePath { get; } =
        (Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .SelectMany(static directory => Names.Select(name => Path.Combine(directory, name)))
            .FirstOrDefault(File.Exists);
}
