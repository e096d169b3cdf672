using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Deploy;

/// <summary>An nginx that keeps what it may, in front of the service.</summary>
public sealed class NginxTests(ITestOutputHelper output) : IDisposable
{
    private const string Program = "/usr/sbin/nginx";
    private const string Status = "X-Cache-Status";

    private readonly TemporaryDirectory _directory = new();
    private readonly int _port = FreePort.Take();
    private readonly HttpClient _client = new();
    private readonly KeySettings _keys = new KeySettings().With("app", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin);

    public void Dispose()
    {
        _client.Dispose();
        _directory.Dispose();
    }

    [ProgramTheory(Program)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task It_gives_payloads_to_nobody_without_a_key_and_none_that_was_replaced(bool hasFastPath)
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, [.. _keys.Arguments, $"--Http:FastDoor={hasFastPath}", "--Http:IgnoredHeaders=X-Real-IP"]);
        await using ServerProcess nginx = await StartAsync(server);
        int payloads = 0, stale = 0;
        for (int i = 0; i < 50; i++)
        {
            string path = $"/v1/tables/t/entries/{i % 10}";
            string value = "value " + i;
            HttpStatusCode put = (await SendAsync(HttpMethod.Put, path, true, body: value)).Status;
            Assert.True(put is HttpStatusCode.Created or HttpStatusCode.NoContent);
            string? tag = null;
            foreach (string? known in new[] { null, "\"none\"", "of the entry", "W/\"none\"" })
            {
                Answer with = await SendAsync(HttpMethod.Get, path, true, known == "of the entry" ? tag : known);
                Assert.Equal(known == "of the entry" ? HttpStatusCode.NotModified : HttpStatusCode.OK, with.Status);
                stale += with.Status == HttpStatusCode.OK && with.Body != value ? 1 : 0;
                tag = with.Tag;
                Answer without = await SendAsync(HttpMethod.Get, path, false, known == "of the entry" ? tag : known);
                payloads += without.Status is HttpStatusCode.OK or HttpStatusCode.NotModified || without.Body.Contains("value") ? 1 : 0;
                Assert.Equal(HttpStatusCode.Unauthorized, without.Status);
            }
        }
        foreach (string other in new[] { "/v1/tables", "/v1/stats", "/v1/tables/t:export", "/v1/tables/t/keys", "/v1/memory", "/metrics",
            "/openapi/v1.json", "/v1/tables/t/entries/0?look=true" })
        {
            Assert.Equal((other, HttpStatusCode.OK), (other, (await SendAsync(HttpMethod.Get, other, true)).Status));
            Assert.Equal((other, HttpStatusCode.Unauthorized), (other, (await SendAsync(HttpMethod.Get, other, false)).Status));
        }
        output.WriteLine($"{(hasFastPath ? "door" : "stack")}: payloads to nobody {payloads}, stale {stale}");
        Assert.Equal((0, 0), (payloads, stale));
        Assert.Equal(hasFastPath, server.Service<FastPathCounters>().Answered > 100);
    }

    [ProgramTheory(Program)]
    [InlineData(true)]
    [InlineData(false)]
    public async Task It_keeps_what_a_table_lets_it_keep(bool hasFastPath)
    {
        await using RunningServer server = await RunningServer.StartAsync(
            _directory.Pile, [.. _keys.Arguments, $"--Http:FastDoor={hasFastPath}", "--Http:IgnoredHeaders=X-Real-IP"]);
        await using ServerProcess nginx = await StartAsync(server);
        Answer made = await SendAsync(HttpMethod.Put, "/v1/tables/shown", true, body: """{"publicMaxAge":"1h"}""");
        Assert.Equal(HttpStatusCode.Created, made.Status);
        const string Path = "/v1/tables/shown/entries/k";
        Assert.Equal(HttpStatusCode.Created, (await SendAsync(HttpMethod.Put, Path, true, body: "to all")).Status);
        Assert.Equal("MISS", (await SendAsync(HttpMethod.Get, Path, true)).Cached);
        Answer without = await SendAsync(HttpMethod.Get, Path, false);
        Assert.Equal((HttpStatusCode.OK, "to all", "HIT"), (without.Status, without.Body, without.Cached));
    }

    private async Task<ServerProcess> StartAsync(RunningServer server)
    {
        string configuration = $$"""
            daemon off;
            master_process off;
            error_log {{_directory.Path}}/error.log;
            pid {{_directory.Path}}/nginx.pid;
            events { }
            http {
                access_log off;
                client_body_temp_path {{_directory.Path}}/body;
                proxy_temp_path {{_directory.Path}}/proxy;
                fastcgi_temp_path {{_directory.Path}}/fastcgi;
                uwsgi_temp_path {{_directory.Path}}/uwsgi;
                scgi_temp_path {{_directory.Path}}/scgi;
                proxy_cache_path {{_directory.Path}}/cache keys_zone=kept:1m;
                upstream service { server {{server.Address.Authority}}; keepalive 4; }
                server {
                    listen 127.0.0.1:{{_port}};
                    location / {
                        proxy_pass http://service;
                        proxy_http_version 1.1;
                        proxy_set_header Connection "";
                        proxy_set_header Host $proxy_host;
                        proxy_set_header If-None-Match $http_if_none_match;
                        proxy_cache kept;
                        proxy_cache_valid any 10m;
                        add_header {{Status}} $upstream_cache_status always;
                    }
                }
            }
            """;
        ServerProcess nginx = ServerProcess.Start(
            [Program, "-c", _directory.Write("nginx.conf", configuration), "-p", _directory.Path], _directory.Path);
        try
        {
            await nginx.WaitUntilReadyAsync(_port);
            return nginx;
        }
        catch
        {
            await nginx.DisposeAsync();
            throw;
        }
    }

    private async Task<Answer> SendAsync(HttpMethod method, string path, bool withKey, string? known = null, string? body = null)
    {
        using var request = new HttpRequestMessage(method, $"http://127.0.0.1:{_port}{path}");
        if (withKey)
            request.Headers.Authorization = new("Bearer", _keys["app"]);
        if (known != null)
            request.Headers.TryAddWithoutValidation("If-None-Match", known);
        if (body != null)
            request.Content = new StringContent(body);
        using HttpResponseMessage answer = await _client.SendAsync(request);
        answer.Headers.TryGetValues(Status, out IEnumerable<string>? cached);
        return new Answer(
            answer.StatusCode, await answer.Content.ReadAsStringAsync(), answer.Headers.ETag?.Tag, cached?.FirstOrDefault());
    }

    private readonly record struct Answer(HttpStatusCode Status, string Body, string? Tag, string? Cached);
}
