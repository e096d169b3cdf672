using System;
using System.Collections.Generic;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Deploy;

/// <summary>The server as a single file, and with the runtime in it.</summary>
public sealed class SingleFileTests : IDisposable
{
    private readonly PublishedApp _server = new("BigPile.Server", "src/BigPile.Server");
    private readonly TemporaryDirectory _directory = new();

    public void Dispose()
    {
        _server.Dispose();
        _directory.Dispose();
    }

    [LongPublish]
    [InlineData("-p:PublishSingleFile=true")]
    [InlineData("--runtime", "linux-x64", "--self-contained", "-p:PublishReadyToRunComposite=true")]
    public async Task It_reads_its_settings_loads_its_sample_and_serves_its_page(params string[] how)
    {
        _server.PublishAnew(how);
        int port = FreePort.Take();
        var environment = new Dictionary<string, string> { ["Pile__Directory"] = _directory.Pile, ["Pile__SegmentBytes"] = "4m" };
        await using ServerProcess process =
            ServerProcess.Start([_server.Program, "--urls", $"http://127.0.0.1:{port}"], _directory.Path, environment);
        await process.WaitUntilReadyAsync(port);
        using var client = new HttpClient { BaseAddress = new Uri($"http://127.0.0.1:{port}") };
        Assert.Contains("<html", await client.GetStringAsync("/"), StringComparison.Ordinal);
        Assert.Contains("\"0ad\"", await client.GetStringAsync("/v1/tables/packages/entries/0ad"), StringComparison.Ordinal);
        (int code, string log, string error) = await process.TerminateAsync();
        Assert.Equal((0, ""), (code, error));
        Assert.Contains("The pile is closed", log, StringComparison.Ordinal);
    }
}
