using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

namespace BigPile.Server.Tests;

/// <summary>The program as it is shipped, in a process of its own.</summary>
public sealed partial class ProcessTests : IDisposable
{
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_terminated_server_stops_with_0_and_leaves_a_clean_pile()
    {
        string first = await RunAsync(static async (client, address) =>
            (await client.PutAsync(address + "/v1/tables/t/entries/k", new ByteArrayContent([7]))).EnsureSuccessStatusCode());
        Assert.Contains("sample records", first, StringComparison.Ordinal);
        Assert.Contains("The pile is closed", first, StringComparison.Ordinal);

        string second = await RunAsync(static async (client, address) =>
            Assert.Equal([7], await client.GetByteArrayAsync(address + "/v1/tables/t/entries/k")));
        Assert.DoesNotContain("not closed", second, StringComparison.Ordinal);
        Assert.DoesNotContain("WRN", second, StringComparison.Ordinal);
        Assert.Matches(@"The pile in \S+ is ready, \d+\.\d\d s after the start of the process; tables: 2, entries: 1,008", second);
        Assert.Matches(@"The start took \d+ ms for the runtime, \d+ ms for settings and services, and \d+ ms until it listened", second);
        Assert.Contains("Try: curl http://127.0.0.1:", second, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_killed_server_leaves_its_entries()
    {
        using (Process process = Start())
        {
            try
            {
                string address = await AddressOfAsync(process);
                using var client = new HttpClient();
                (await client.PutAsync(address + "/v1/tables/t/entries/k", new ByteArrayContent([8]))).EnsureSuccessStatusCode();
            }
            finally
            {
                process.Kill();
                await process.WaitForExitAsync();
            }
        }
        string log = await RunAsync(static async (client, address) =>
            Assert.Equal([8], await client.GetByteArrayAsync(address + "/v1/tables/t/entries/k")));
        Assert.Contains("was not closed by its last owner", log, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("false")]
    [InlineData("true")]
    public async Task Inline_scheduling_gives_the_network_a_thread_for_each_processor(string isOn)
    {
        using Process process = Start("--Http:InlineScheduling=" + isOn);
        try
        {
            await AddressOfAsync(process);
            // The runtime has read the variable that the program set for itself, or it would have one thread.
            int threads = Directory.EnumerateDirectories($"/proc/{process.Id}/task")
                .Count(static task => NameOf(task).StartsWith(".NET Sockets", StringComparison.Ordinal));
            Assert.Equal(isOn == "true" ? Environment.ProcessorCount : Math.Max(1, Environment.ProcessorCount / 30), threads);
        }
        finally
        {
            process.Kill();
            await process.WaitForExitAsync();
        }
    }

    // A thread of the runtime's that ends behind the enumeration has no name any more; those of the network never end.
    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm"));
        }
        catch (IOException)
        {
            return "";
        }
    }

    /// <summary>Starts the program, does something with it, terminates it, and gives its log.</summary>
    private async Task<string> RunAsync(Func<HttpClient, string, Task> use)
    {
        using Process process = Start();
        try
        {
            string address = await AddressOfAsync(process);
            using (var client = new HttpClient())
                await use(client, address);
            using (Process kill = Process.Start("kill", ["-TERM", process.Id.ToString(CultureInfo.InvariantCulture)]))
                await kill.WaitForExitAsync();
            Task<string> rest = process.StandardOutput.ReadToEndAsync();
            await process.WaitForExitAsync().WaitAsync(Timeout);
            Assert.Equal((0, ""), (process.ExitCode, await process.StandardError.ReadToEndAsync()));
            return _start + await rest;
        }
        finally
        {
            if (!process.HasExited)
                process.Kill();
        }
    }

    private string _start = "";

    private Process Start(params string[] settings)
    {
        var start = new ProcessStartInfo(
            "dotnet") { RedirectStandardOutput = true, RedirectStandardError = true, WorkingDirectory = _directory.Path };
        string[] args =
        [
            Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll"), "--urls", "http://127.0.0.1:0", "--Pile:SegmentBytes=4m",
            "--Pile:MaxBytes=64m", .. settings,
        ];
        foreach (string arg in args)
            start.ArgumentList.Add(arg);
        start.Environment["Pile__Directory"] = _directory.Pile;
        return Process.Start(start)!;
    }

    // Reads the log up to the line that comes last in a start.
    private async Task<string> AddressOfAsync(Process process)
    {
        _start = "";
        while (await process.StandardOutput.ReadLineAsync().WaitAsync(Timeout) is { } line)
        {
            _start += line + "\n";
            if (line.Contains("Try: curl", StringComparison.Ordinal))
                return Address().Match(_start).Groups[1].Value;
        }
        throw new InvalidOperationException("The server ended: " + _start + await process.StandardError.ReadToEndAsync());
    }

    [GeneratedRegex(@"listens on (http://\S+)")]
    private static partial Regex Address();
}
