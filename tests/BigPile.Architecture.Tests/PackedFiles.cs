using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.IO.Compression;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>The packages as <c>dotnet pack</c> makes them of what was built.</summary>
public sealed class PackedFiles : IDisposable
{
    internal const string Version = "1.2.3";
    internal const string Repository = "https://example.invalid/bigpile.git";

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("bigpile-packages");

    public PackedFiles()
    {
        var start = new ProcessStartInfo("dotnet")
        {
            ArgumentList =
            {
                "pack", Path.Combine(SourceTree.Root, "BigPile.sln"), "--no-build", "-c", Configuration, "-o", _directory.FullName,
                "-p:Version=" + Version, "-p:RepositoryUrl=" + Repository, "-nodeReuse:false",
            },
            RedirectStandardOutput = true,
        };
        using Process pack = Process.Start(start)!;
        string said = pack.StandardOutput.ReadToEnd();
        if (!pack.WaitForExit(Patience) || pack.ExitCode != 0)
            throw new InvalidOperationException(said);
    }

    internal IEnumerable<string> Names =>
        _directory.EnumerateFiles("*.nupkg").Select(static file => file.Name[..^$".{Version}.nupkg".Length]);

    // The folder that the tests were built into is called as what they were built for.
    private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Name.Split('_')[0];

    internal ZipArchive Open(string name) => ZipFile.OpenRead(Path.Combine(_directory.FullName, $"{name}.{Version}.nupkg"));

    public void Dispose() => _directory.Delete(recursive: true);
}
