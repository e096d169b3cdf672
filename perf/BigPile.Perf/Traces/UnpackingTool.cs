using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;

namespace BigPile.Perf.Traces;

/// <summary>An external tool that decompresses a file that .NET can't.</summary>
internal sealed class UnpackingTool : IDisposable
{
    private readonly string _name;
    private readonly Process _process;

    /// <summary>Starts it.</summary>
    /// <exception cref="LoadException">It is not there.</exception>
    internal UnpackingTool(string name, string path)
    {
        _name = name;
        var start = new ProcessStartInfo(name, ["--decompress", "--stdout", "--quiet", "--", path])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        try
        {
            _process = Process.Start(start)!;
        }
        catch (Win32Exception e)
        {
            throw new LoadException(
                $"'{path}' is compressed by {name}, which .NET cannot read, and there is no {name} here. Install it, or unpack the file.",
                e);
        }
    }

    /// <summary>What the file unpacks to.</summary>
    internal Stream Output => _process.StandardOutput.BaseStream;

    /// <summary>At the end: checks the exit code of the tool.</summary>
    /// <exception cref="InvalidDataException">It was not.</exception>
    internal void Finish()
    {
        string complaint = _process.StandardError.ReadToEnd().Trim();
        _process.WaitForExit();
        if (_process.ExitCode != 0)
            throw new InvalidDataException(complaint.Length == 0 ? $"{_name} ended with exit code {_process.ExitCode}." : complaint);
    }

    // If reading stops in the middle, the tool loses its reader.
    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }
}
