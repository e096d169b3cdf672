using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.Server.Tests.Attacks;

/// <summary>A request costs no more than it may, and nothing for a client that has gone.</summary>
public sealed class CostTests : IAsyncLifetime
{
    private const int PlainBytes = 16 << 20;

    private readonly TemporaryDirectory _directory = new();
    private RunningServer _server = null!;

    public async Task InitializeAsync()
    {
        _server = await RunningServer.StartAsync(_directory.Pile, static services => services.AddSingleton<IStartupFilter, GoneClient>());
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Fact]
    public async Task Payloads_of_a_batch_have_a_budget_of_what_they_decompress_to()
    {
        string bomb = Convert.ToBase64String(Brotli(PlainBytes));
        string items =
            string.Join(',', Enumerable.Range(0, 10).Select(i => $"{{\"key\":\"{i}\",\"encoding\":\"br\",\"base64\":\"{bomb}\"}}"));
        JsonElement answer = await PostAsync(":mset", $"{{\"items\":[{items},{{\"key\":\"plain\",\"text\":\"x\"}}]}}");
        Assert.Equal(
            [201, 201, 413, 413, 413, 413, 413, 413, 413, 413, 201],
            answer.GetProperty("items").EnumerateArray().Select(static item => item.GetProperty("status").GetInt32()));
        Assert.Equal("batch_too_large", answer.GetProperty("items")[2].GetProperty("code").GetString());
        Assert.Equal(3, Entries.Count);
    }

    [Fact]
    public async Task Payloads_that_can_not_be_decompressed_use_the_budget_up()
    {
        byte[] bomb = Brotli(PlainBytes);
        string damaged = Convert.ToBase64String(bomb.AsSpan(0, bomb.Length - 1));
        string items =
            string.Join(',', Enumerable.Range(0, 100).Select(i => $"{{\"key\":\"{i}\",\"encoding\":\"br\",\"base64\":\"{damaged}\"}}"));
        JsonElement answer = await PostAsync(":mset", $"{{\"items\":[{items}]}}");
        int[] statuses = [.. answer.GetProperty("items").EnumerateArray().Select(static item => item.GetProperty("status").GetInt32())];
        Assert.Equal(400, statuses[0]);
        Assert.InRange(statuses.Count(static status => status == 400), 1, 32);
        Assert.All(statuses[32..], static status => Assert.Equal(413, status));
    }

    [Fact]
    public async Task Lines_of_a_load_have_a_budget_that_grows_with_what_is_sent()
    {
        string bomb = Convert.ToBase64String(Brotli(PlainBytes));
        string lines =
            string.Concat(Enumerable.Range(0, 10).Select(i => $"{{\"key\":\"{i}\",\"encoding\":\"br\",\"base64\":\"{bomb}\"}}\n"));
        JsonElement answer = await PostAsync(":load", lines);
        Assert.Equal((2, 8), (answer.GetProperty("records").GetInt32(), answer.GetProperty("skipped").GetInt32()));
        string earned = $"{{\"key\":\"plain\",\"text\":\"{new string('x', 400_000)}\"}}\n"; // 40 MB more
        Assert.Equal(1 + 4, (await PostAsync(":load", earned + lines)).GetProperty("records").GetInt32());
    }

    [Theory]
    [InlineData("", "{\"key\":\"k\",\"text\":\"\"}\n")]
    [InlineData("?key=k", "{\"k\":\"a\"}\n")]
    [InlineData("?key=k", "\n")]
    public async Task A_few_bytes_do_not_become_millions_of_lines(string query, string line)
    {
        byte[] many = Compress(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat(line, 2_000_000))));
        using HttpResponseMessage answer =
            await _server.SendAsync("POST", "/v1/tables/t:load" + query, many, ("Content-Encoding", "br"));
        string text = await answer.Content.ReadAsStringAsync();
        Assert.True(answer.StatusCode == HttpStatusCode.BadRequest, text);
        Assert.Contains("one for each byte that is sent, and 335,544.", text, StringComparison.Ordinal);
        // What is plain earns a line with each byte.
        byte[] lines = Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat(line, 500_000)));
        using HttpResponseMessage plain = await _server.SendAsync("POST", "/v1/tables/t:load" + query, lines);
        Assert.Equal(HttpStatusCode.OK, plain.StatusCode);
    }

    [Fact]
    public async Task The_body_of_a_load_does_not_decompress_without_end()
    {
        byte[] lines = Brotli(64 << 20, (byte)' ');
        HttpResponseMessage answer = await _server.SendAsync("POST", "/v1/tables/t:load", lines, ("Content-Encoding", "br"));
        await ServerTest.ProblemAsync(answer, HttpStatusCode.BadRequest, "content_encoding_invalid");
        byte[] honest = Compress(Encoding.UTF8.GetBytes("{\"key\":\"a\",\"text\":\"x\"}\n"));
        answer = await _server.SendAsync("POST", "/v1/tables/t:load", honest, ("Content-Encoding", "br"));
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    [Theory]
    [InlineData("")]
    [InlineData("?key=id")]
    public async Task Lines_that_are_no_records_have_a_budget_too(string query)
    {
        const int Lines = 500_000;
        byte[] lines = Compress(Encoding.UTF8.GetBytes(string.Concat(Enumerable.Repeat("x\n", Lines))));
        HttpResponseMessage answer = await _server.SendAsync("POST", "/v1/tables/t:load" + query, lines, ("Content-Encoding", "br"));
        JsonElement problem = await ServerTest.ProblemAsync(answer, HttpStatusCode.BadRequest, "document_invalid");
        Assert.Contains("Too many of its lines can't be stored: 8,1", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        string good = query.Length == 0 ? "{\"key\":\"a\",\"text\":\"x\"}" : "{\"id\":\"a\"}";
        string some = string.Concat(Enumerable.Repeat("{\n", 5_000)) + good;
        answer = await _server.SendAsync("POST", "/v1/tables/t:load" + query, Encoding.UTF8.GetBytes(some));
        JsonElement tally = JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal((1, 5_000), (tally.GetProperty("records").GetInt32(), tally.GetProperty("skipped").GetInt32()));
    }

    [Theory]
    [InlineData("POST", ":mset", "{\"items\":[{\"key\":\"new\",\"text\":\"x\"}]}")]
    [InlineData("POST", ":mdelete", "{\"keys\":[\"kept\"]}")]
    [InlineData("POST", ":mget", "{\"keys\":[\"kept\"]}")]
    [InlineData("POST", ":evict", "{\"tags\":[\"tag\"]}")]
    [InlineData("POST", ":load", "{\"key\":\"new\",\"text\":\"x\"}")]
    [InlineData("GET", ":export", null)]
    [InlineData("GET", "/keys", null)]
    public async Task Work_ends_when_the_client_has_gone(string method, string action, string? body)
    {
        (await _server.SendAsync("PUT", "/v1/tables/t/entries/kept", "kept"u8.ToArray(), ("BigPile-Tags", "tag")))
            .EnsureSuccessStatusCode();
        string answer = "";
        try
        {
            HttpResponseMessage response = await _server.SendAsync(
                method, "/v1/tables/t" + action, body == null ? null : Encoding.UTF8.GetBytes(body), (GoneClient.Header, "yes"));
            answer = await response.Content.ReadAsStringAsync();
        }
        catch (HttpRequestException)
        {
            // The connection was cut off, so that nobody takes what came for the whole.
        }
        Assert.Equal("", answer);
        Assert.Equal(["kept"], Entries.Keys);
    }

    private CacheTable<string, byte[]> Entries => _server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");

    private async Task<JsonElement> PostAsync(string action, string body)
    {
        HttpResponseMessage answer = await _server.SendAsync("POST", "/v1/tables/t" + action, Encoding.UTF8.GetBytes(body));
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        return JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync()).RootElement;
    }

    private static byte[] Brotli(int plainBytes, byte content = 0)
    {
        var plain = new byte[plainBytes];
        plain.AsSpan().Fill(content);
        return Compress(plain);
    }

    private static byte[] Compress(byte[] plain)
    {
        using var target = new MemoryStream();
        using (var brotli = new BrotliStream(target, CompressionLevel.Fastest, leaveOpen: true))
            brotli.Write(plain);
        return target.ToArray();
    }
}
