using System;
using System.Collections.Generic;
using System.Diagnostics;

namespace BigPile.Perf.Restarts;

/// <summary>A second process of this program.</summary>
internal sealed class WorkerProcess : IDisposable
{
    private readonly Process _process;

    private WorkerProcess(Process process) => _process = process;

    /// <summary>Starts the command <c>restart</c> in a process of its own.</summary>
    /// <param name="role">What it does.</param>
    /// <param name="directory">The pile's directory.</param>
    /// <param name="options">The options of its own.</param>
    internal static WorkerProcess Start(string role, string directory, IEnumerable<string> options) =>
        Start(["restart", "--worker", role, "--dir", directory, .. options]);

    /// <summary>Starts a command in a process of its own.</summary>
    /// <param name="arguments">The command and its options.</param>
    internal static WorkerProcess Start(IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        string program = typeof(WorkerProcess).Assembly.Location;
        if (!Environment.ProcessPath!.EndsWith("BigPile.Perf", StringComparison.Ordinal))
            start.ArgumentList.Add(program);
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        return new WorkerProcess(Process.Start(start) ?? throw new LoadException("The second process could not be started."));
    }

    /// <summary>Waits for a line of what the process says.</summary>
    internal string ReadLine() => _process.StandardOutput.ReadLine()
        ?? throw new LoadException($"The second process ended with code {WaitForExit()} before it was ready. Its message is above.");

    internal void Tell(string line)
    {
        _process.StandardInput.WriteLine(line);
        _process.StandardInput.Flush();
    }

    /// <summary>Waits until it has ended by itself.</summary>
    internal void WaitUntilDone()
    {
        if (WaitForExit() is not 0 and var code)
            throw new LoadException($"The second process ended with code {code}. Its message is above.");
    }

    /// <summary>Ends it at once, as a crash would.</summary>
    internal void Kill()
    {
        _process.Kill();
        WaitForExit();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
            Kill();
        _process.Dispose();
    }

    private int WaitForExit()
    {
        _process.WaitForExit();
        return _process.ExitCode;
    }
}
