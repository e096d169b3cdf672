using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.IO.Compression;
using System.Linq;
using Mono.Cecil;
using Mono.Cecil.Cil;

namespace BigPile.Architecture.Tests;

/// <summary>The packages that <c>dotnet pack</c> makes from the build.</summary>
public sealed class PackedFiles : IDisposable
{
    internal const string Version = "1.2.3";
    internal const string Repository = "https://example.invalid/bigpile.git";

    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(2);

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("bigpile-packages");

    public PackedFiles()
    {
        Run(
            "dotnet", "pack", Path.Combine(SourceTree.Root, "BigPile.sln"), "--no-build", "-c", Configuration, "-o", _directory.FullName,
            "-p:Version=" + Version, "-p:RepositoryUrl=" + Repository, "-nodeReuse:false");
    }

    internal IEnumerable<string> Names =>
        _directory.EnumerateFiles("*.nupkg").Select(static file => file.Name[..^$".{Version}.nupkg".Length]);

    // The tests' output folder is named after the configuration.
    private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Name.Split('_')[0];

    internal ZipArchive Open(string name) => ZipFile.OpenRead(Path.Combine(_directory.FullName, $"{name}.{Version}.nupkg"));

    /// <summary>Installs a tool from the packages and nowhere else.</summary>
    /// <returns>The folder of its command.</returns>
    internal string Install(string tool)
    {
        string folder = Path.Combine(_directory.FullName, "tools");
        Run("dotnet", "tool", "install", "--tool-path", folder, "--source", _directory.FullName, "--version", Version, tool);
        return folder;
    }

    /// <summary>Creates a directory with a library's package, as that of the previous version.</summary>
    internal string MakeBaseline(string library)
    {
        string directory = _directory.CreateSubdirectory("baseline").FullName;
        File.Copy(Path.Combine(_directory.FullName, $"{library}.{Version}.nupkg"), BaselineOf(directory, library));
        return directory;
    }

    /// <summary>Adds a public method to a type of it.</summary>
    internal void AddToBaseline(string directory, string library, string type, string method)
    {
        using ZipArchive package = ZipFile.Open(BaselineOf(directory, library), ZipArchiveMode.Update);
        ZipArchiveEntry entry = package.GetEntry($"lib/net10.0/{library}.dll")!;
        var image = new MemoryStream();
        using (Stream stored = entry.Open())
            stored.CopyTo(image);
        image.Position = 0;
        using var assembly = AssemblyDefinition.ReadAssembly(image);
        var added = new MethodDefinition(method, MethodAttributes.Public, assembly.MainModule.TypeSystem.Void);
        added.Body.GetILProcessor().Emit(OpCodes.Ret);
        assembly.MainModule.GetType(type).Methods.Add(added);
        using Stream changed = entry.Open();
        changed.SetLength(0);
        assembly.Write(changed);
    }

    /// <summary>Packs a library and compares it with the package of the previous version.</summary>
    /// <returns>What was said.</returns>
    /// <exception cref="InvalidOperationException">It lacks something.</exception>
    internal string PackAgainst(string baseline, string library) => Run(
        "dotnet", "pack", Path.Combine(SourceTree.Root, "src", library), "--no-build", "-c", Configuration, "-o",
        _directory.CreateSubdirectory("again").FullName, "-p:BaselineDirectory=" + baseline, "-nodeReuse:false");

    private static string BaselineOf(string directory, string library) => Path.Combine(directory, library + ".0.0.0-baseline.nupkg");

    /// <summary>Runs a program to its end.</summary>
    /// <returns>What it printed.</returns>
    /// <exception cref="InvalidOperationException">It failed.</exception>
    internal static string Run(string program, params string[] arguments)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        string said = process.StandardOutput.ReadToEnd();
        return process.WaitForExit(Timeout) && process.ExitCode == 0 ? said : throw new InvalidOperationException(said);
    }

    public void Dispose() => _directory.Delete(recursive: true);
}
