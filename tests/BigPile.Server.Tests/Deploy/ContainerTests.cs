using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Threading.Tasks;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Deploy;

/// <summary>What the Dockerfile publishes, started by what it starts, with the paths of the image put elsewhere.</summary>
public sealed class ContainerTests : IDisposable
{
    private static readonly TimeSpan BuildTimeout = TimeSpan.FromMinutes(9);

    // The build's helpers would outlive it, and hold its output open.
    private static readonly Dictionary<string, string> NoNodes = new() { ["MSBUILDDISABLENODEREUSE"] = "1" };
    private static readonly string[] NoCompiler = ["-p:UseSharedCompilation=false"];

    private readonly TemporaryDirectory _directory = new();
    private readonly ContainerFile _file = new();

    public void Dispose() => _directory.Dispose();

    [LongFact("It builds for minutes.")]
    public async Task The_container_refuses_to_be_open_serves_with_keys_and_is_healthy()
    {
        await using (ServerProcess publish = ServerProcess.Start(Here([.. _file.Publish, .. NoCompiler]), SourceTree.Root, NoNodes))
        {
            (int code, string output, _) = await publish.WaitForEndAsync(BuildTimeout);
            Assert.True(code == 0, output);
        }
        Assert.True(_file.HasUser);
        await AssertRefusesAsync();

        int port = FreePort.Take();
        BigPileKey key = BigPileKey.Create("app", KeyScopes.Read | KeyScopes.Write, out string credential);
        Dictionary<string, string> environment = EnvironmentOf(port);
        environment["Security__Keys__0__Name"] = key.Name;
        environment["Security__Keys__0__Hash"] = key.Hash;
        environment["Security__Keys__0__Scopes"] = "read,write";
        environment["Security__AllowWithoutTls"] = "true";
        environment["Pile__SegmentBytes"] = "4m";
        await using ServerProcess server = ServerProcess.Start(Here(_file.EntryPoint), _directory.Path, environment);
        await server.WaitUntilReadyAsync(port);
        await AssertHealthyAsync(environment);
        await AssertServesAsync(port, credential);
        (int ended, string log, string error) = await server.TerminateAsync();
        Assert.Equal((0, ""), (ended, error));
        Assert.Contains("The pile is closed", log, StringComparison.Ordinal);
        Assert.DoesNotContain("sample", log, StringComparison.Ordinal);
        Assert.NotEmpty(Directory.GetFiles(Path.Combine(_directory.Path, "data")));
    }

    private async Task AssertRefusesAsync()
    {
        await using ServerProcess server =
            ServerProcess.Start(Here(_file.EntryPoint), _directory.Path, EnvironmentOf(FreePort.Take()));
        (int code, _, string error) = await server.WaitForEndAsync();
        Assert.Equal(1, code);
        Assert.Contains("Security:AllowWithoutKeys=true", error, StringComparison.Ordinal);
    }

    private async Task AssertHealthyAsync(Dictionary<string, string> environment)
    {
        await using ServerProcess check = ServerProcess.Start(Here(_file.HealthCheck), _directory.Path, environment);
        Assert.Equal((0, "ready\n", ""), await check.WaitForEndAsync());
        environment = new Dictionary<string, string>(environment) { ["ASPNETCORE_URLS"] = $"http://0.0.0.0:{FreePort.Take()}" };
        await using ServerProcess nobody = ServerProcess.Start(Here(_file.HealthCheck), _directory.Path, environment);
        Assert.Equal(1, (await nobody.WaitForEndAsync()).Code);
    }

    private static async Task AssertServesAsync(int port, string credential)
    {
        using var client = new HttpClient();
        var entry = new Uri($"http://127.0.0.1:{port}/v1/tables/t/entries/k");
        using (HttpResponseMessage refused = await client.GetAsync(entry))
            Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        client.DefaultRequestHeaders.Authorization = new AuthenticationHeaderValue("Bearer", credential);
        using var content = new StringContent("hello");
        using (HttpResponseMessage put = await client.PutAsync(entry, content))
            Assert.Equal(HttpStatusCode.Created, put.StatusCode);
        Assert.Equal("hello", await client.GetStringAsync(entry));
    }

    // The image's own directories are the test's here.
    private string[] Here(string[] command) =>
        [.. command.Select(part => part.StartsWith("/app", StringComparison.Ordinal) ? _directory.Path + part : part)];

    private Dictionary<string, string> EnvironmentOf(int port) => _file.Environment.ToDictionary(
        static variable => variable.Key,
        variable => variable.Value
            .Replace(":5080", $":{port}", StringComparison.Ordinal)
            .Replace("/data", Path.Combine(_directory.Path, "data"), StringComparison.Ordinal),
        StringComparer.Ordinal);
}
