using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Attacks;

/// <summary>All bodies and answers in flight have a limit together, and give everything back.</summary>
public sealed class MemoryTests : ServerTest
{
    private const int BodyBytes = 1 << 20;
    private const int LimitBytes = 8 << 20;

    protected override string[] Settings =>
        [$"--Limits:BufferedBytes={LimitBytes}", $"--Server:MaxBodyBytes={BodyBytes}", "--Limits:MinBodyBytesPerSecond=0",
            "--Limits:MinResponseBytesPerSecond=0"];

    private BufferQuota Quota => Server.Service<BufferQuota>();

    [Fact]
    public async Task Unfinished_bodies_share_one_limit()
    {
        var held = new List<RawConnection>();
        try
        {
            for (int i = 0; i < 12; i++)
            {
                RawConnection connection = await RawConnection.OpenAsync(Server.Address.Port);
                held.Add(connection);
                await connection.SendAsync(
                    $"PUT /v1/tables/t/entries/{i} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BodyBytes}\r\n\r\n");
                await connection.SendAsync(new byte[BodyBytes - 1]);
            }
            await Eventually.TrueAsync(() => Quota.UsedBytes >= LimitBytes - 3 * BodyBytes);
            HttpResponseMessage? refused = null;
            await Eventually.TrueAsync(async () => (refused = await TryPutAsync())?.IsSuccessStatusCode == false);
            JsonElement problem = await ProblemAsync(refused!, HttpStatusCode.ServiceUnavailable, "buffers_full");
            Assert.Equal(LimitBytes, problem.GetProperty("limit").GetInt64());
            Assert.Equal("1", refused!.Headers.RetryAfter?.ToString());
            Assert.InRange(Quota.UsedBytes, 0, LimitBytes);
        }
        finally
        {
            held.ForEach(static connection => connection.Abort());
        }
        await WaitForQuotaReturnAsync();
        Assert.Equal(HttpStatusCode.Created, (await Server.PutAsync("/v1/tables/t/entries/after", new byte[BodyBytes])).StatusCode);
    }

    [Fact]
    public async Task A_body_that_was_refused_leaves_its_connection_to_the_next_request()
    {
        const long Taken = LimitBytes - BodyBytes / 2;
        Quota.Take(Taken);
        try
        {
            using RawConnection connection = await RawConnection.OpenAsync(Server.Address.Port);
            await connection.SendAsync($"PUT /v1/tables/t/entries/k HTTP/1.1\r\nHost: localhost\r\nContent-Length: {BodyBytes}\r\n\r\n");
            await connection.SendAsync(new byte[BodyBytes]);
            await connection.SendAsync("GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            string answers = await connection.ReadToEndAsync();
            Assert.StartsWith("HTTP/1.1 503 ", answers);
            Assert.Contains("HTTP/1.1 200 ", answers);
        }
        finally
        {
            Quota.Return(Taken);
        }
    }

    // A client that still sends when it is refused may miss the answer.
    private async Task<HttpResponseMessage?> TryPutAsync()
    {
        try
        {
            return await Server.PutAsync("/v1/tables/t/entries/one-more", new byte[BodyBytes]);
        }
        catch (HttpRequestException)
        {
            return null;
        }
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("multipart/mixed")]
    [InlineData("application/vnd.bigpile.batch")]
    public async Task An_answer_that_nobody_reads_lies_in_memory_once(string form)
    {
        (await Server.PutAsync("/v1/tables/t/entries/k", new byte[BodyBytes - 100])).EnsureSuccessStatusCode();
        string body = "{\"keys\":[\"k\",\"k\"]}";
        using RawConnection connection = await RawConnection.OpenAsync(Server.Address.Port);
        string request =
            $"POST /v1/tables/t:mget HTTP/1.1\r\nHost: localhost\r\nAccept: {form}\r\nContent-Type: application/json\r\nContent-Length: "
            + $"{body.Length}\r\n\r\n{body}";
        // The system's buffers may take some answers whole, and so fast that nobody sees them: the one after those stays.
        await connection.SendAsync(string.Concat(Enumerable.Repeat(request, 100)));
        long used = 0;
        await Eventually.TrueAsync(() => (used = Quota.UsedBytes) >= 2 * BodyBytes);
        Assert.InRange(used, 2 * BodyBytes, 4 * BodyBytes + (512 << 10));
        connection.Abort();
        await WaitForQuotaReturnAsync();
    }

    [Theory]
    [InlineData("application/json")]
    [InlineData("multipart/mixed")]
    [InlineData("application/vnd.bigpile.batch")]
    public async Task A_long_answer_is_whole(string form)
    {
        var random = new Random(14);
        var payload = new byte[300_001];
        random.NextBytes(payload);
        (await Server.PutAsync("/v1/tables/t/entries/k", payload)).EnsureSuccessStatusCode();
        HttpResponseMessage answer =
            await Server.SendAsync("POST", "/v1/tables/t:mget", "{\"keys\":[\"k\",\"none\",\"k\"]}"u8.ToArray(), ("Accept", form));
        byte[] body = await answer.Content.ReadAsByteArrayAsync();
        if (form == "application/json")
        {
            JsonElement items = JsonDocument.Parse(body).RootElement.GetProperty("items");
            Assert.Equal([200, 404, 200], items.EnumerateArray().Select(static item => item.GetProperty("status").GetInt32()));
            Assert.Equal(payload, items[2].GetProperty("base64").GetBytesFromBase64());
        }
        int first = body.AsSpan().IndexOf(payload);
        Assert.Equal(form != "application/json", first >= 0 && body.AsSpan(first + payload.Length).IndexOf(payload) >= 0);
        await WaitForQuotaReturnAsync();
    }

    [Fact]
    public async Task A_load_does_not_give_back_what_was_wrong_with_it()
    {
        string lines = string.Concat(
            Enumerable.Range(0, 4).Select(static i => $"{{\"{new string('n', 200_000)}{i}\":\"{new string('v', 200_000)}\"}}\n"));
        HttpResponseMessage answer = await Server.SendAsync("POST", "/v1/tables/t:load", Encoding.UTF8.GetBytes(lines));
        Assert.Equal(4, JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync()).RootElement.GetProperty("errors").GetArrayLength());
        Assert.InRange(answer.Content.Headers.ContentLength!.Value, 100, 4_000);
        Assert.InRange((await Client.GetByteArrayAsync("/v1/operations")).Length, 100, 4_000);
        string many = string.Concat(Enumerable.Range(0, 1_000).Select(static i => $"{{\"{new string('n', 500)}{i}\":1}}\n"));
        answer = await Server.SendAsync("POST", "/v1/tables/t:load", Encoding.UTF8.GetBytes(many));
        Assert.Equal(
            100, JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync()).RootElement.GetProperty("errors").GetArrayLength());
        Assert.InRange((await Client.GetByteArrayAsync("/v1/operations")).Length, 100, 8_000);
        await WaitForQuotaReturnAsync();
    }

    [Theory]
    [InlineData("PUT", "", "{\"?\":1}")]
    [InlineData("PUT", "", "{\"collisionMode\":\"?\"}")]
    [InlineData("PUT", "", "{\"defaultTtl\":\"?\"}")]
    [InlineData("PUT", "", "{\"defaultPriority\":\"?\"}")]
    [InlineData("POST", ":mset", "{\"items\":[{\"?\":\"x\"}]}")]
    [InlineData("POST", ":mset", "{\"items\":[{\"key\":\"k\",\"contentType\":\"?\"}]}")]
    [InlineData("POST", ":mset", "{\"items\":[{\"key\":\"k\",\"ttl\":\"?\"}]}")]
    [InlineData("POST", ":evict", "{\"?\":1}")]
    [InlineData("POST", ":load", "{\"key\":\"k\",\"contentType\":\"?\"}")]
    [InlineData("POST", ":load?key=id", "{\"id\":\"?\"}")]
    public async Task No_answer_repeats_a_long_text(string method, string action, string body)
    {
        byte[] sent = Encoding.UTF8.GetBytes(body.Replace("?", new string('x', 60_000), StringComparison.Ordinal));
        HttpResponseMessage answer = await Server.SendAsync(method, "/v1/tables/t" + action, sent, ("Content-Type", "application/json"));
        Assert.InRange((await answer.Content.ReadAsByteArrayAsync()).Length, 1, 4_000);
        await WaitForQuotaReturnAsync();
    }

    [Fact]
    public async Task A_page_of_keys_has_few_bytes()
    {
        for (int i = 0; i < 3_000; i += 500)
        {
            string items = string.Join(
                ',', Enumerable.Range(i, 500).Select(static k => $"{{\"key\":\"{new string('k', 1_000)}{k}\",\"text\":\"x\"}}"));
            (await Server.SendAsync("POST", "/v1/tables/t:mset", Encoding.UTF8.GetBytes($"{{\"items\":[{items}]}}")))
                .EnsureSuccessStatusCode();
        }
        int count = 0;
        string cursor = "";
        do
        {
            byte[] page = await Client.GetByteArrayAsync($"/v1/tables/t/keys?limit=10000&cursor={cursor}");
            Assert.InRange(page.Length, 1, 1_100_000);
            JsonElement document = JsonDocument.Parse(page).RootElement;
            count += document.GetProperty("keys").GetArrayLength();
            cursor = document.TryGetProperty("cursor", out JsonElement next) ? next.GetString()! : "";
        }
        while (cursor.Length != 0);
        Assert.Equal(3_000, count);
    }

    /// <summary>Waits until nothing is held any more: a client has its answer before the server has cleaned up behind it.</summary>
    private Task WaitForQuotaReturnAsync() => Eventually.TrueAsync(() => Quota.UsedBytes == 0);
}
