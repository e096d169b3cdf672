using System;
using System.Diagnostics;
using System.IO;
using System.Linq;

namespace BigPile.Tests.Interop;

/// <summary>A MessagePack library of another language, in a process of its own.</summary>
internal sealed class ExternalReader : IDisposable
{
    private readonly Process _process;

    private ExternalReader(string program, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardInput = true, RedirectStandardOutput = true };
        _process = Process.Start(start)!;
    }

    /// <summary>The Python program that has the package, or null.</summary>
    internal static string? PythonPath { get; } =
        new[] { "/usr/bin/python3", "python3" }.FirstOrDefault(static path => Succeeds(path, "-c", "import msgpack"));

    /// <summary>The folder whose node_modules has the package, or null.</summary>
    internal static string? NodeFolder { get; } = FindNodeFolder();

    internal static ExternalReader Python() => new(PythonPath!, Script("echo.py"));

    internal static ExternalReader Node() => new("node", Script("echo.mjs"), NodeFolder!);

    /// <summary>What the library reads in a payload, as JSON, and the bytes that it writes for it.</summary>
    internal (string Json, byte[] Bytes) Echo(ReadOnlySpan<byte> payload)
    {
        _process.StandardInput.WriteLine(Convert.ToHexStringLower(payload));
        _process.StandardInput.Flush();
        string json = _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The reader ended.");
        return (json, Convert.FromHexString(_process.StandardOutput.ReadLine()!));
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    private static string Script(string name) => Path.Combine(SourceTree.Root, "tests/BigPile.Tests/Interop", name);

    private static string? FindNodeFolder()
    {
        string folder = Path.Combine(SourceTree.Root, "artifacts/interop");
        bool exists = Directory.Exists(Path.Combine(folder, "node_modules/@msgpack/msgpack"));
        return exists && Succeeds("node", "--version") ? folder : null;
    }

    private static bool Succeeds(string program, params string[] arguments)
    {
        try
        {
            var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
            using Process process = Process.Start(start)!;
            process.WaitForExit();
            return process.ExitCode == 0;
        }
        catch (System.ComponentModel.Win32Exception)
        {
            return false;
        }
    }
}
