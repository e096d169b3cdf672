using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests;

public sealed class EntryTests : ServerTest
{
    private const string Path = "/v1/tables/t/entries/k";

    [Fact]
    public async Task An_entry_is_put_read_replaced_and_deleted()
    {
        using HttpResponseMessage created = await Server.PutAsync(Path, [1, 2, 3], "image/png");
        Assert.Equal(HttpStatusCode.Created, created.StatusCode);
        Assert.Equal(Path, created.Headers.Location?.OriginalString);

        using HttpResponseMessage read = await Client.GetAsync(Path);
        Assert.Equal(HttpStatusCode.OK, read.StatusCode);
        Assert.Equal([1, 2, 3], await read.Content.ReadAsByteArrayAsync());
        Assert.Equal("image/png", read.Content.Headers.ContentType?.ToString());
        Assert.Equal(3, read.Content.Headers.ContentLength);
        Assert.Equal(created.Headers.ETag, read.Headers.ETag);
        Assert.False(read.Headers.ETag!.IsWeak);
        Assert.Empty(read.Headers.Server);
        Assert.NotNull(read.Headers.Date);

        using HttpResponseMessage replaced = await Server.PutAsync(Path, [4], "text/x-other; a=b");
        Assert.Equal(HttpStatusCode.NoContent, replaced.StatusCode);
        Assert.NotEqual(created.Headers.ETag, replaced.Headers.ETag);
        Assert.Null(replaced.Headers.Location);
        using HttpResponseMessage again = await Client.GetAsync(Path);
        Assert.Equal([4], await again.Content.ReadAsByteArrayAsync());
        Assert.Equal("text/x-other; a=b", again.Content.Headers.ContentType?.ToString());
        Assert.Equal(replaced.Headers.ETag, again.Headers.ETag);

        using HttpResponseMessage deleted = await Client.DeleteAsync(Path);
        Assert.Equal(HttpStatusCode.NoContent, deleted.StatusCode);
        await ProblemAsync(await Client.DeleteAsync(Path), HttpStatusCode.NotFound, "entry_not_found");
        await ProblemAsync(await Client.GetAsync(Path), HttpStatusCode.NotFound, "entry_not_found");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(32 * 1024)]
    [InlineData(32 * 1024 + 1)]
    [InlineData(3_000_000)]
    public async Task Bodies_of_any_size_come_back_byte_for_byte(int lengthBytes)
    {
        var body = new byte[lengthBytes];
        new Random(7).NextBytes(body);
        (await Server.PutAsync(Path, body)).EnsureSuccessStatusCode();
        using HttpResponseMessage read = await Client.GetAsync(Path);
        Assert.Equal(body, await read.Content.ReadAsByteArrayAsync());
        Assert.Equal(lengthBytes, read.Content.Headers.ContentLength);
        Assert.Equal("application/octet-stream", read.Content.Headers.ContentType?.ToString());
        using HttpResponseMessage head = await Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, Path));
        Assert.Equal(lengthBytes, head.Content.Headers.ContentLength);
    }

    [Fact]
    public async Task A_body_of_unknown_length_is_taken()
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, Path);
        request.Content = new StringContent("chunked");
        request.Headers.TransferEncodingChunked = true;
        (await Client.SendAsync(request)).EnsureSuccessStatusCode();
        Assert.Equal("chunked", await Client.GetStringAsync(Path));
    }

    [Fact]
    public async Task Head_answers_like_get_without_the_body()
    {
        (await Server.PutAsync(Path, "{\"a\":1}"u8.ToArray(), "application/json")).EnsureSuccessStatusCode();
        string get = await Server.SendRawAsync("GET " + Path);
        string head = await Server.SendRawAsync("HEAD " + Path);
        string[] sameHead = get[..(get.IndexOf("\r\n\r\n", StringComparison.Ordinal) + 4)].Split("\r\n");
        Assert.Equal(WithoutDate(sameHead), WithoutDate(head.Split("\r\n")));
        Assert.Contains("Content-Length: 7", sameHead);

        string missing = await Server.SendRawAsync("HEAD /v1/tables/t/entries/none");
        Assert.StartsWith("HTTP/1.1 404 ", missing, StringComparison.Ordinal);
        Assert.Contains("Content-Type: application/problem+json\r\n", missing, StringComparison.Ordinal);
        Assert.Matches("Content-Length: [1-9]", missing);
        Assert.EndsWith("\r\n\r\n", missing, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_tag_that_is_known_answers_304_without_body_and_length()
    {
        (await Server.PutAsync(Path, [1, 2, 3])).EnsureSuccessStatusCode();
        string tag = (await Client.GetAsync(Path)).Headers.ETag!.Tag;
        foreach (string method in new[] { "GET ", "HEAD " })
        {
            foreach (string list in new[] { tag, "W/" + tag, "*", "\"a,b\", " + tag })
            {
                string answer = await Server.SendRawAsync(method + Path, "If-None-Match: " + list);
                Assert.StartsWith("HTTP/1.1 304 Not Modified\r\n", answer, StringComparison.Ordinal);
                Assert.Contains($"ETag: {tag}\r\n", answer, StringComparison.Ordinal);
                Assert.Contains("Date: ", answer, StringComparison.Ordinal);
                Assert.DoesNotContain("Content-", answer, StringComparison.Ordinal);
                Assert.EndsWith("\r\n\r\n", answer, StringComparison.Ordinal);
            }
            Assert.StartsWith(
                "HTTP/1.1 200 ", await Server.SendRawAsync(method + Path, "If-None-Match: \"other\""), StringComparison.Ordinal);
            Assert.StartsWith(
                "HTTP/1.1 200 ", await Server.SendRawAsync(method + Path, "If-None-Match: rubbish"), StringComparison.Ordinal);
        }
        Assert.StartsWith(
            "HTTP/1.1 404 ", await Server.SendRawAsync("GET /v1/tables/t/entries/none", "If-None-Match: *"), StringComparison.Ordinal);
        (await Server.PutAsync(Path, [1, 2, 3])).EnsureSuccessStatusCode();
        Assert.StartsWith("HTTP/1.1 200 ", await Server.SendRawAsync("GET " + Path, "If-None-Match: " + tag), StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_missing_is_named_and_a_long_key_is_cut_off()
    {
        JsonElement problem =
            await ProblemAsync(await Client.GetAsync("/v1/tables/none/entries/a%2Fb"), HttpStatusCode.NotFound, "table_not_found");
        Assert.Equal(("none", "a/b"), (problem.GetProperty("table").GetString(), problem.GetProperty("key").GetString()));
        string longKey = string.Concat(Enumerable.Repeat("ü", 300));
        problem = await ProblemAsync(
            await Client.GetAsync("/v1/tables/none/entries/" + Uri.EscapeDataString(longKey)), HttpStatusCode.NotFound, "table_not_found");
        Assert.Equal(longKey[..50] + "…", problem.GetProperty("key").GetString());
        (await Server.PutAsync(Path, [])).EnsureSuccessStatusCode();
        problem = await ProblemAsync(await Client.GetAsync("/v1/tables/t/entries/b"), HttpStatusCode.NotFound, "entry_not_found");
        Assert.False(problem.TryGetProperty("key", out _)); // the same for all keys, so that its bytes are made once
    }

    [Theory]
    [InlineData("/v1/tables//entries/k")]
    [InlineData("/v1/tables/a%20b/entries/k")]
    [InlineData("/v1/tables/a%2Fb/entries/k")]
    [InlineData("/v1/tables/..%2E/entries/k%", "key_invalid")]
    [InlineData("/v1/tables/%2E./entries/k")]
    [InlineData("/v1/tables/%ff/entries/k")]
    [InlineData("/v1/tables/t/entries/", "key_invalid")]
    [InlineData("/v1/tables/t/entries/?x=1", "key_invalid")]
    [InlineData("/v1/tables/t/entries/%FF", "key_invalid")]
    [InlineData("/v1/tables/t/entries/%zz", "key_invalid")]
    [InlineData("/v1/tables/t/entries/a/../b", "key_invalid")]
    public async Task Bad_names_and_keys_are_refused(string target, string code = "table_name_invalid")
    {
        foreach (string method in new[] { "GET ", "PUT ", "DELETE " })
        {
            string answer = await Server.SendRawAsync(method + target, "Content-Length: 0");
            Assert.StartsWith("HTTP/1.1 400 ", answer, StringComparison.Ordinal);
            Assert.Contains($"\"code\":\"{code}\"", answer, StringComparison.Ordinal);
        }
        Assert.Equal(0, (await GetJsonAsync("/v1/tables")).GetProperty("tables").GetArrayLength());
    }

    [Fact]
    public async Task Names_and_keys_may_be_as_long_as_they_may()
    {
        string name = new('T', 128);
        string key = new('k', 1024);
        (await Server.PutAsync($"/v1/tables/{name}/entries/{key}", [9])).EnsureSuccessStatusCode();
        Assert.Equal([9], await Client.GetByteArrayAsync($"/v1/tables/{name}/entries/{key}"));
        await ProblemAsync(await Client.GetAsync($"/v1/tables/{name}T/entries/k"), HttpStatusCode.BadRequest, "table_name_invalid");
        await ProblemAsync(await Client.GetAsync($"/v1/tables/{name}/entries/{key}k"), HttpStatusCode.BadRequest, "key_invalid");
    }

    [Theory]
    [InlineData("PATCH")]
    [InlineData("OPTIONS")]
    [InlineData("get")]
    public async Task Other_methods_are_refused(string method)
    {
        string answer = await Server.SendRawAsync(method + " " + Path, "Content-Length: 0");
        Assert.StartsWith("HTTP/1.1 405 ", answer, StringComparison.Ordinal);
        Assert.Contains("Allow: GET, HEAD, PUT, POST, DELETE\r\n", answer, StringComparison.Ordinal);
        Assert.Contains("\"code\":\"method_not_allowed\"", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("If-Match: \"x\"", 412, "precondition_failed")]
    [InlineData("If-Match: *", 412, "precondition_failed")]
    [InlineData("If-Match: rubbish", 412, "precondition_failed")]
    [InlineData("Content-Range: bytes 0-1/2", 400, "partial_put_unsupported")]
    [InlineData("Content-Encoding: zstd", 415, "content_encoding_unsupported")]
    [InlineData("Content-Encoding: gzip, br", 415, "content_encoding_unsupported")]
    [InlineData("Content-Encoding: gzip", 400, "content_encoding_invalid")]
    [InlineData("BigPile-Ttl: soon", 400, "header_invalid")]
    [InlineData("BigPile-Ttl: 0", 400, "header_invalid")]
    [InlineData("BigPile-Ttl: -1s", 400, "header_invalid")]
    [InlineData("BigPile-Ttl: 1y", 400, "header_invalid")]
    [InlineData("BigPile-Ttl: 99999999999999999999", 400, "header_invalid")]
    [InlineData("BigPile-Sliding: 1.5s", 400, "header_invalid")]
    [InlineData("BigPile-Expires: tomorrow", 400, "header_invalid")]
    [InlineData("BigPile-Expires: Sun, 06 Nov 1994 08:49:37 GMT", 400, "header_invalid")]
    [InlineData("BigPile-Priority: highest", 400, "header_invalid")]
    [InlineData("Cache-Control: max-age=x", 400, "header_invalid")]
    [InlineData("Content-Type: rubbish", 415, "content_type_invalid")]
    [InlineData("Content-Type: text/plain; x=ü", 415, "content_type_invalid")]
    public async Task A_put_that_asks_for_more_than_there_is_changes_nothing(string header, int status, string code)
    {
        string answer = await Server.SendRawAsync("PUT " + Path, "Content-Length: 0", header);
        Assert.StartsWith($"HTTP/1.1 {status} ", answer, StringComparison.Ordinal);
        Assert.Contains($"\"code\":\"{code}\"", answer, StringComparison.Ordinal);
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync(Path)).StatusCode);
    }

    [Fact]
    public async Task A_proxy_may_send_the_absolute_form()
    {
        (await Server.PutAsync(Path, Encoding.UTF8.GetBytes("proxied"))).EnsureSuccessStatusCode();
        string answer = await Server.SendRawAsync($"GET http://localhost{Path}");
        Assert.EndsWith("\r\n\r\nproxied", answer, StringComparison.Ordinal);
    }

    private static string[] WithoutDate(string[] lines) =>
        [.. lines.Where(static line => !line.StartsWith("Date:", StringComparison.Ordinal))];
}
