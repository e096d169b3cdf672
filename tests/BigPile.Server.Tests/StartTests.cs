using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Server.Hosting;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace BigPile.Server.Tests;

public sealed class StartTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Bodies_types_and_tags_survive_a_restart()
    {
        string? tag = null;
        for (int life = 0; life < 3; life++)
        {
            await using RunningServer server = await RunningServer.StartAsync(_directory.Pile);
            if (life == 0)
                (await server.PutAsync("/v1/tables/t/entries/a%2Fb", "<p>"u8.ToArray(), "text/html")).EnsureSuccessStatusCode();
            using HttpResponseMessage read = await server.Client.GetAsync("/v1/tables/t/entries/a/b");
            Assert.Equal("<p>", await read.Content.ReadAsStringAsync());
            Assert.Equal("text/html", read.Content.Headers.ContentType?.ToString());
            tag ??= read.Headers.ETag!.Tag;
            Assert.Equal(tag, read.Headers.ETag!.Tag);
        }
    }

    [Fact]
    public async Task A_stop_waits_for_the_request_that_runs()
    {
        await using (RunningServer server = await RunningServer.StartAsync(_directory.Pile))
        {
            using var client = new TcpClient();
            await client.ConnectAsync(server.Address.Host, server.Address.Port);
            NetworkStream stream = client.GetStream();
            await stream.WriteAsync(
                "PUT /v1/tables/t/entries/k HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"u8.ToArray());
            var answer = new byte[1000];
            int length = await stream.ReadAsync(answer);
            Assert.Equal("HTTP/1.1 100 Continue\r\n\r\n", Encoding.ASCII.GetString(answer, 0, length)); // the request runs
            Task stop = server.StopAsync();
            Assert.False(stop.IsCompleted);
            await stream.WriteAsync("ok"u8.ToArray());
            length = await stream.ReadAsync(answer);
            Assert.StartsWith("HTTP/1.1 201 Created\r\n", Encoding.ASCII.GetString(answer, 0, length), StringComparison.Ordinal);
            await stop;
        }
        await using RunningServer next = await RunningServer.StartAsync(_directory.Pile);
        Assert.Equal("ok", await next.Client.GetStringAsync("/v1/tables/t/entries/k"));
    }

    [Fact]
    public async Task A_sample_that_has_no_space_is_left_out()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, "--Server:LoadSample=true", "--Pile:MaxBytes=1m");
        Assert.Empty(server.Service<PileCache>().TableNames);
        (await server.PutAsync("/v1/tables/t/entries/k", new byte[640])).EnsureSuccessStatusCode();
    }

    [Fact]
    public async Task The_sample_goes_into_an_empty_pile_only()
    {
        string[] source = await File.ReadAllLinesAsync(Sample.FilePath);
        await using (RunningServer first = await RunningServer.StartAsync(_directory.Pile, "--Server:LoadSample=true"))
        {
            Assert.Equal(source.Length, first.Service<PileCache>().GetStatistics(Sample.TableName).EntryCount);
            foreach (string line in source)
            {
                string key = JsonDocument.Parse(line).RootElement.GetProperty("id").GetString()!;
                using HttpResponseMessage read = await first.Client.GetAsync($"/v1/tables/packages/entries/{Uri.EscapeDataString(key)}");
                Assert.Equal(line, await read.Content.ReadAsStringAsync());
                Assert.Equal("application/json", read.Content.Headers.ContentType?.ToString());
            }
            Assert.Contains(Sample.ExampleKey, first.Service<PileCache>().GetOrCreateTable<string, byte[]>(Sample.TableName).Keys);
            (await first.Client.DeleteAsync($"/v1/tables/packages/entries/{Sample.ExampleKey}")).EnsureSuccessStatusCode();
        }
        await using RunningServer second = await RunningServer.StartAsync(_directory.Pile, "--Server:LoadSample=true");
        Assert.Equal(source.Length - 1, second.Service<PileCache>().GetStatistics(Sample.TableName).EntryCount);
    }

    [Fact]
    public async Task The_server_is_live_at_once_and_ready_when_the_pile_is_open()
    {
        RunningServer owner = await RunningServer.StartAsync(_directory.Pile);
        await using RunningServer server = await RunningServer.StartOpeningAsync(
            _directory.Pile,
            static services => services.Configure<BigPileOptions>(
                static options => (options.StartWait, options.OpenTimeout) = (TimeSpan.Zero, Eventually.Timeout)));
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync("/health/live")).StatusCode);
        using HttpResponseMessage starting = await server.Client.GetAsync("/health/ready");
        Assert.Equal(HttpStatusCode.ServiceUnavailable, starting.StatusCode);
        Assert.Equal("{\"status\":\"starting\",\"awaited\":[\"pile open\",\"pile prepared\"]}", await starting.Content.ReadAsStringAsync());
        foreach (string path in new[] { "/v1/tables/t/entries/k", "/v1/tables", "/v1/tables/t", "/v1/stats" })
            await ServerTest.ProblemAsync(await server.Client.GetAsync(path), HttpStatusCode.ServiceUnavailable, "not_ready");
        InvalidOperationException refusal = Assert.Throws<InvalidOperationException>(() => server.Service<PileCache>());
        Assert.Contains("still being opened", refusal.Message, StringComparison.Ordinal);

        await owner.DisposeAsync();
        await Eventually.TrueAsync(async () => (await server.Client.GetAsync("/health/ready")).IsSuccessStatusCode);
        Assert.NotNull(server.Service<PileCache>());
        Assert.StartsWith(
            "{\"status\":\"ready\",\"awaited\":[],", await server.Client.GetStringAsync("/health/ready"), StringComparison.Ordinal);
        await ServerTest.ProblemAsync(await server.Client.GetAsync("/v1/tables/t/entries/k"), HttpStatusCode.NotFound, "table_not_found");
    }

    [Fact]
    public async Task A_pile_that_fails_late_stops_the_server()
    {
        using var release = new ManualResetEventSlim();
        RunningServer server = await RunningServer.StartOpeningAsync(_directory.Pile, services => services.PostConfigure<BigPileOptions>(
            options => (options.StartWait, options.Opened) = (TimeSpan.Zero, _ => Fail())));
        var stopping = new TaskCompletionSource();
        using CancellationTokenRegistration registration =
            server.Service<IHostApplicationLifetime>().ApplicationStopping.Register(stopping.SetResult);
        release.Set();
        await stopping.Task.WaitAsync(Eventually.Timeout);
        await Assert.ThrowsAsync<TimeoutException>(async () => await server.DisposeAsync());

        void Fail()
        {
            release.Wait();
            throw new TimeoutException();
        }
    }

    [Fact]
    public async Task A_second_server_on_the_directory_is_refused_in_one_line()
    {
        await using RunningServer owner = await RunningServer.StartAsync(_directory.Pile);
        (int code, _, string error) = await CommandRun.RunAsync(RunningServer.Arguments(_directory.Pile));
        Assert.Equal(1, code);
        Assert.Equal(
            $"BigPile.Server can't start: The pile in '{_directory.Pile}' is in use by process {Environment.ProcessId}. Stop it, use "
            + "another directory, or have the opening wait for it: PileOptions.OpenTimeout, BigPileOptions.OpenTimeout, Pile:OpenSeconds "
            + "of a server.\n",
            error);
    }

    [Theory]
    [InlineData("--urls=http://0.0.0.0:0", "http://0.0.0.0:0")]
    [InlineData("--urls=http://127.0.0.1:0;http://*:0", "http://*:0")]
    [InlineData("--urls=http://[::]:0", "http://[::]:0")]
    [InlineData("--urls=http://some-host:0", "http://some-host:0")]
    [InlineData("--Kestrel:Endpoints:A:Url=http://0.0.0.0:0", "http://0.0.0.0:0")]
    public async Task Addresses_that_others_reach_are_refused(string setting, string address)
    {
        (int code, _, string error) = await CommandRun.RunAsync([.. RunningServer.Arguments(_directory.Pile), setting]);
        Assert.Equal(1, code);
        Assert.Contains($"would listen on {address}", error, StringComparison.Ordinal);
        Assert.Contains("Security:AllowWithoutKeys=true", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_directory.Pile));
    }

    [Fact]
    public async Task Addresses_that_are_preferred_over_endpoints_are_those_that_are_checked()
    {
        var environment = new Dictionary<string, string>
        {
            ["ASPNETCORE_PREFERHOSTINGURLS"] = "true",
            ["ASPNETCORE_URLS"] = "http://0.0.0.0:0",
            ["Kestrel__Endpoints__A__Url"] = "http://127.0.0.1:0",
            ["Pile__Directory"] = _directory.Pile,
        };
        await using ServerProcess process =
            ServerProcess.Start(["dotnet", Path.Combine(AppContext.BaseDirectory, "BigPile.Server.dll")], _directory.Path, environment);
        (int code, _, string error) = await process.WaitForEndAsync(Eventually.Timeout);
        Assert.Equal(1, code);
        Assert.Contains("would listen on http://0.0.0.0:0", error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_directory.Pile));
    }

    [Fact]
    public async Task Addresses_that_others_reach_can_be_allowed()
    {
        await using RunningServer server =
            await RunningServer.StartAsync(_directory.Pile, "--urls=http://0.0.0.0:0", "--Server:AllowInsecure=true");
        string loopback = $"http://127.0.0.1:{server.Address.Port}/health/ready";
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync(loopback)).StatusCode);
    }

    [Theory]
    [InlineData("http://0.0.0.0:0", "--Security:AllowWithoutTls=true", "Security:AllowWithoutKeys=true")]
    [InlineData("http://0.0.0.0:0", "--Security:AllowWithoutKeys=true", "Security:AllowWithoutTls=true")]
    [InlineData("https://0.0.0.0:0", "--Security:AllowWithoutTls=true", "Security:AllowWithoutKeys=true")]
    [InlineData("http://127.0.0.1:0", "--Security:AdminUrl=http://0.0.0.0:0", "would listen on http://0.0.0.0:0")]
    public async Task Keys_and_encryption_are_asked_for_one_by_one(string url, string setting, string message)
    {
        (int code, _, string error) = await CommandRun.RunAsync([.. RunningServer.Arguments(_directory.Pile), "--urls=" + url, setting]);
        Assert.Equal(1, code);
        Assert.Contains(message, error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Addresses_that_others_reach_can_be_allowed_in_so_many_words()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, "--urls=http://0.0.0.0:0", "--Security:AllowWithoutKeys=true", "--Security:AllowWithoutTls=true");
        Assert.Equal(HttpStatusCode.OK, (await server.Client.GetAsync($"http://127.0.0.1:{server.Address.Port}/health/ready")).StatusCode);
    }

    [Fact]
    public async Task The_piles_settings_are_those_it_is_opened_with()
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, "--Pile:FlushSeconds=7", "--Pile:Warmup=Off", "--Pile:WarmupBytesPerSecond=1m",
            "--Pile:Checksums=AtEveryRead", "--Pile:FlushLogBytes=2m", "--Pile:Name=chosen");
        AspNetCore.BigPileOptions options = server.Service<IOptions<AspNetCore.BigPileOptions>>().Value;
        Assert.Equal((TimeSpan.FromSeconds(7), PileWarmup.Off), (options.FlushInterval!.Value, options.Warmup));
        Assert.Equal((1L << 20, PileChecksums.AtEveryRead), (options.WarmupBytesPerSecond, options.Checksums));
        Assert.Equal((2L << 20, "chosen"), (options.FlushLogBytes, server.Service<Caching.PileCache>().Pile.Name));
    }

    [Fact]
    public async Task A_pile_in_memory_leaves_no_files()
    {
        await using RunningServer server = await RunningServer.StartAsync(_directory.Pile, "--Pile:Store=Native", "--Pile:HugePages=false");
        using HttpResponseMessage put = await server.Client.PutAsync("/v1/tables/t/entries/k", new StringContent("v"));
        Assert.True(put.IsSuccessStatusCode);
        Assert.Equal("v", await server.Client.GetStringAsync("/v1/tables/t/entries/k"));
        Assert.Equal(StoreKind.Native, server.Service<Caching.PileCache>().Pile.Store);
        Assert.False(Directory.Exists(_directory.Pile));
    }

    [Fact]
    public async Task A_directory_that_must_be_there_is_not_made()
    {
        (int code, _, string error) = await CommandRun.RunAsync(
            [.. RunningServer.Arguments(_directory.Pile), "--Pile:CreateDirectory=false"]);
        Assert.Equal(1, code);
        Assert.Contains(_directory.Pile, error, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_directory.Pile));
    }

    [Fact]
    public async Task An_address_that_is_taken_is_named()
    {
        var other = new TcpListener(IPAddress.Loopback, 0);
        other.Start();
        string url = $"http://{other.LocalEndpoint}";
        (int code, _, string error) = await CommandRun.RunAsync([.. RunningServer.Arguments(_directory.Pile), "--urls=" + url]);
        other.Stop();
        Assert.Equal(1, code);
        Assert.Contains($"can't listen on {url}", error, StringComparison.Ordinal);
        Assert.Contains("Choose another address with --urls", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_pile_opens_before_the_start_and_closes_without_one()
    {
        await using (WebApplication app = ServerApplication.Build(RunningServer.Arguments(_directory.Pile)))
        {
            await Eventually.TrueAsync(() => Directory.Exists(_directory.Pile)); // by the opening, which nobody has asked for
            Assert.NotNull(app.Services.GetRequiredService<PileCache>());
        }
        using Pile again = Pile.Open(_directory.Pile);
        Assert.True(again.Recovery.WasClean);
    }

    [Fact]
    public void A_server_that_can_not_be_put_together_closes_the_pile()
    {
        string[] arguments = RunningServer.Arguments(_directory.Pile);
        Assert.Throws<InvalidOperationException>(
            () => ServerApplication.Build(arguments, static services => services.RemoveAll<OperationStore>()));
        using Pile again = Pile.Open(_directory.Pile);
        Assert.True(again.Recovery.WasClean);
    }
}
