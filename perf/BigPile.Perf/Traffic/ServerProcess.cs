using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Text;
using System.Text.RegularExpressions;

namespace BigPile.Perf.Traffic;

/// <summary>The server as it is shipped, in a process of its own.</summary>
internal sealed partial class ServerProcess : IDisposable
{
    private const int TimeoutMs = 120_000;

    private readonly Process _process;

    private ServerProcess(Process process) => _process = process;

    internal int Id => _process.Id;

    /// <summary>Where it listens.</summary>
    internal IPEndPoint Address { get; private set; } = new(IPAddress.Loopback, 0);

    /// <summary>Starts a server and waits until it is ready.</summary>
    internal static ServerProcess Start(string directory)
    {
        bool isHost = Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet";
        var start = new ProcessStartInfo(
            isHost ? Environment.ProcessPath! : "dotnet") { RedirectStandardOutput = true, RedirectStandardError = true };
        string[] arguments =
        [
            Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll"), "--urls", "http://127.0.0.1:0", $"--Pile:Directory={directory}",
            "--Pile:SegmentBytes=64m", "--Server:LoadSample=false",
            "--Serilog:MinimumLevel:Override:BigPile.Server.Hosting.RequestLog=Warning",
        ];
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        var server = new ServerProcess(Process.Start(start) ?? throw new LoadException("The server could not be started."));
        try
        {
            server.WaitUntilReady();
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>Asks it to stop, and waits until it has.</summary>
    internal void Stop()
    {
        using (Process kill = Process.Start("kill", ["-TERM", Id.ToString(CultureInfo.InvariantCulture)]))
            kill.WaitForExit();
        if (!_process.WaitForExit(TimeoutMs) || _process.ExitCode != 0)
            throw new LoadException("The server did not stop cleanly after a SIGTERM: "
                + $"{(_process.HasExited ? $"exit code {_process.ExitCode}" : "it still runs")}.");
    }

    /// <summary>Ends it at once, as a crash would.</summary>
    internal void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <summary>Its resident memory without mapped files.</summary>
    internal long? ResidentBytes()
    {
        string path = $"/proc/{Id}/status";
        if (!File.Exists(path))
            return null;
        long kibibytes = 0;
        foreach (string line in File.ReadLines(path))
        {
            if (line.StartsWith("RssAnon:", StringComparison.Ordinal) || line.StartsWith("RssShmem:", StringComparison.Ordinal))
                kibibytes += long.Parse(line.AsSpan(line.IndexOf(':') + 1).Trim().TrimEnd(" kB"), CultureInfo.InvariantCulture);
        }
        return kibibytes * 1024;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            Kill();
        _process.Dispose();
    }

    private void WaitUntilReady()
    {
        var log = new StringBuilder();
        while (_process.StandardOutput.ReadLine() is { } line)
        {
            log.AppendLine(line);
            if (Listens().Match(line) is { Success: true } match)
                Address = IPEndPoint.Parse(match.Groups[1].Value);
            if (!line.Contains("Try: curl", StringComparison.Ordinal))
                continue;
            // What it says from now on is not needed, but a full pipe would stop it.
            _ = _process.StandardOutput.BaseStream.CopyToAsync(Stream.Null);
            _ = _process.StandardError.BaseStream.CopyToAsync(Stream.Null);
            return;
        }
        throw new LoadException($"The server did not start: {log}{_process.StandardError.ReadToEnd()}");
    }

    [GeneratedRegex(@"listens on http://([\d.]+:\d+)")]
    private static partial Regex Listens();
}
