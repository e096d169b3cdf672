using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Net.Http;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Support;

/// <summary>A program in a process of its own, which ends with the test.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    internal static readonly TimeSpan DefaultTimeout = Eventually.Timeout;

    private readonly Process _process;
    private readonly Task<string> _output;
    private readonly Task<string> _error;

    private ServerProcess(Process process)
    {
        _process = process;
        _output = process.StandardOutput.ReadToEndAsync();
        _error = process.StandardError.ReadToEndAsync();
    }

    internal static ServerProcess Start(
        IReadOnlyList<string> command, string workingDirectory, IReadOnlyDictionary<string, string>? environment = null)
    {
        var start = new ProcessStartInfo(
            command[0]) { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = workingDirectory };
        for (int i = 1; i < command.Count; i++)
            start.ArgumentList.Add(command[i]);
        foreach ((string name, string value) in environment ?? new Dictionary<string, string>())
            start.Environment[name] = value;
        return new ServerProcess(Process.Start(start)!);
    }

    /// <summary>Returns when a server answers that it is ready.</summary>
    internal async Task WaitUntilReadyAsync(int port)
    {
        using var client = new HttpClient();
        using var timeout = new System.Threading.CancellationTokenSource(DefaultTimeout);
        while (true)
        {
            if (_process.HasExited)
                throw new InvalidOperationException($"The server ended with {_process.ExitCode}: {await _output}{await _error}");
            try
            {
                using HttpResponseMessage response = await client.GetAsync($"http://127.0.0.1:{port}/health/ready", timeout.Token);
                if (response.IsSuccessStatusCode)
                    return;
            }
            catch (HttpRequestException)
            {
                // not there yet
            }
            await Task.Delay(50, timeout.Token);
        }
    }

    /// <summary>Waits for the end.</summary>
    internal async Task<(int Code, string Output, string Error)> WaitForEndAsync(TimeSpan? timeout = null)
    {
        await _process.WaitForExitAsync().WaitAsync(timeout ?? DefaultTimeout);
        return (_process.ExitCode, await _output.WaitAsync(DefaultTimeout), await _error.WaitAsync(DefaultTimeout));
    }

    /// <summary>Asks the process to end, as a service manager does.</summary>
    internal async Task<(int Code, string Output, string Error)> TerminateAsync()
    {
        using (Process kill = Process.Start("kill", ["-TERM", _process.Id.ToString(CultureInfo.InvariantCulture)]))
            await kill.WaitForExitAsync();
        return await WaitForEndAsync();
    }

    /// <summary>Has the process stand still, or go on.</summary>
    internal async Task StandStillAsync(bool isStill)
    {
        using Process kill = Process.Start("kill", [isStill ? "-STOP" : "-CONT", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        await kill.WaitForExitAsync();
    }

    /// <summary>Kills the process at once.</summary>
    internal async Task KillAsync()
    {
        _process.Kill();
        await _process.WaitForExitAsync();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
            await KillAsync();
        _process.Dispose();
    }
}
