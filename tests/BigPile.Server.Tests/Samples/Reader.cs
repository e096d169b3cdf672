using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Security.Cryptography.X509Certificates;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Samples;

/// <summary>
/// Runs the commands of a document one after the other, as a reader would type them, and starts or stops the service where they need it.
/// </summary>
internal sealed partial class Reader : IAsyncDisposable
{
    private const string Launch = "dotnet run -c Release --project src/BigPile.Server";

    // The status goes to the other output, away from the body.
    private const string Curl = "curl() { command curl -sS -w '%{stderr}%{http_code}\\n' \"$@\"; }\n";

    private static readonly string Program = $"dotnet {Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll")}";

    private readonly TemporaryDirectory _directory = new();
    private readonly Dictionary<string, int> _ports = [];
    private string _typed = "";
    private string _hash = "";
    private ServerProcess? _service;

    internal Reader()
    {
        foreach (string file in (string[])["FILE.jsonl", "records.jsonl"])
            _directory.Write(file, "{\"id\":1}\n{\"id\":2}\n");
        foreach (string directory in (string[])["var/lib", "backup"])
            Directory.CreateDirectory(Path.Combine(_directory.Path, directory));
        using X509Certificate2 certificate = SelfSigned.Make("localhost");
        SelfSigned.WriteTo(_directory, certificate);
    }

    public async ValueTask DisposeAsync()
    {
        if (_service != null)
            await _service.DisposeAsync();
        _directory.Dispose();
    }

    internal async Task TypeAsync(Command command)
    {
        string text = Here(command.Text);
        if (Assignment().IsMatch(text))
            _typed += text + "\n";
        else if (text == Program || text.StartsWith(Program + " --", StringComparison.Ordinal))
            await StartAsync(text);
        else if (text.StartsWith("systemctl ", StringComparison.Ordinal))
            await ManageAsync(isStop: text.Contains(" stop ", StringComparison.Ordinal));
        else
            await RunAsync(command, text);
    }

    private async Task RunAsync(Command command, string text)
    {
        if (text.Contains("curl ", StringComparison.Ordinal) || text.Contains("--url", StringComparison.Ordinal))
            await (_service == null ? StartAsync(Program) : Task.CompletedTask);
        else
            await StopAsync();
        await using ServerProcess shell = Shell(Curl + _typed + text);
        (int code, string output, string error) = await shell.WaitForEndAsync();
        Assert.True(code == 0, $"{text}: {code} {output}{error}");
        if (text.Contains("curl ", StringComparison.Ordinal))
        {
            string said = Status().Match(command.Comment).Value;
            Assert.All(error.TrimEnd().Split('\n'), status => Assert.Matches(said.Length > 0 ? $"^{said}$" : "^2..$", status));
        }
        foreach ((string expected, string actual) in command.Answer.Zip(output.Split('\n')))
            Assert.StartsWith(expected.TrimEnd(' ', '…'), actual.TrimEnd(), StringComparison.Ordinal);
        if (Hash().Match(output) is { Success: true } hash)
            _hash = hash.Value;
    }

    // With no service that runs yet, it is the one that the machine was started with.
    private async Task ManageAsync(bool isStop)
    {
        if (_service == null)
            await StartAsync($"{Program} --Pile:Directory={_directory.Path}/var/lib/bigpile");
        if (isStop)
            await StopAsync();
    }

    private async Task StartAsync(string text)
    {
        await StopAsync();
        _service = Shell(_typed + "exec " + text);
        Match address = Address().Matches(text).LastOrDefault(Match.Empty);
        await _service.WaitUntilReadyAsync(
            address.Success ? int.Parse(address.Groups[1].Value, CultureInfo.InvariantCulture) : PortOf(":5080"));
    }

    private async Task StopAsync()
    {
        if (_service == null)
            return;
        (int code, string output, string error) = await _service.TerminateAsync();
        Assert.True(code == 0, output + error);
        await _service.DisposeAsync();
        _service = null;
    }

    private ServerProcess Shell(string script)
    {
        var environment = new Dictionary<string, string>
        {
            ["ASPNETCORE_URLS"] = $"http://127.0.0.1:{PortOf(":5080")}",
            ["Pile__SegmentBytes"] = "4m",
        };
        return ServerProcess.Start(["bash", "-c", script], _directory.Path, environment);
    }

    // The document's program, directories and ports are the test's here.
    private string Here(string text)
    {
        foreach (string launch in (string[])[Launch + " --", Launch, "artifacts/tools/bigpile", "dotnet /opt/bigpile/BigPile.Server.dll"])
            text = text.Replace(launch, Program, StringComparison.Ordinal);
        text = text.Replace("sha256:…", _hash, StringComparison.Ordinal).Replace("0.0.0.0", "127.0.0.1", StringComparison.Ordinal);
        text = MachineDirectory().Replace(text, " " + _directory.Path + "$1");
        return Port().Replace(text, match => $":{PortOf(match.Value)}");
    }

    private int PortOf(string port)
    {
        if (!_ports.TryGetValue(port, out int here))
            _ports[port] = here = FreePort.Take();
        return here;
    }

    [GeneratedRegex(@"^(export )?\w+=")]
    private static partial Regex Assignment();

    [GeneratedRegex(@"^\d{3}\b")]
    private static partial Regex Status();

    [GeneratedRegex(@"sha256:[^\s""]+")]
    private static partial Regex Hash();

    [GeneratedRegex(@"http://127\.0\.0\.1:(\d+)")]
    private static partial Regex Address();

    [GeneratedRegex(@" (/var/lib/|/backup/)")]
    private static partial Regex MachineDirectory();

    [GeneratedRegex(@":5\d{3}\b")]
    private static partial Regex Port();
}
