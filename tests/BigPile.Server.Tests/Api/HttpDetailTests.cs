using System;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Threading.Tasks;
using BigPile.Http.Bulk;
using BigPile.Server.Tests.Attacks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

/// <summary>What RFC 9110 and 9111 want, in places where clients and caches notice.</summary>
public sealed class HttpDetailTests : ServerTest
{
    private const string Path = "/v1/tables/t/entries/k";

    [Theory]
    [InlineData("If-Match", "*", false, 412, "precondition_failed")]
    [InlineData("If-Match", "\"0000000000000001\"", false, 412, "precondition_failed")]
    [InlineData("If-Match", "\"0000000000000001\"", true, 412, "precondition_failed")]
    [InlineData("If-Match", "*", true, 409, "entry_exists")]
    [InlineData("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT", true, 412, "precondition_failed")]
    [InlineData("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT", false, 412, "precondition_failed")]
    [InlineData("If-None-Match", "*", true, 412, "precondition_failed")]
    [InlineData("If-None-Match", "\"0000000000000001\"", true, 409, "entry_exists")]
    public async Task Post_takes_the_conditions_of_a_put(string header, string value, bool isThere, int status, string code)
    {
        if (isThere)
            (await Server.PutAsync(Path, [1])).EnsureSuccessStatusCode();
        await ProblemAsync(await Server.SendAsync("POST", Path, [2], (header, value)), (HttpStatusCode)status, code);
        Assert.Equal(isThere ? HttpStatusCode.OK : HttpStatusCode.NotFound, (await Client.GetAsync(Path)).StatusCode);
    }

    [Theory]
    [InlineData("PUT", 204)]
    [InlineData("DELETE", 204)]
    [InlineData("GET", 200)]
    public async Task A_date_that_is_none_is_no_condition(string method, int status)
    {
        (await Server.PutAsync(Path, [1])).EnsureSuccessStatusCode();
        byte[]? body = method == "PUT" ? [2] : null;
        Assert.Equal(status, (int)(await Server.SendAsync(method, Path, body, ("If-Unmodified-Since", "rubbish"))).StatusCode);
    }

    [Fact]
    public async Task A_range_of_an_entry_that_was_put_twice_in_a_second_is_not_one_of_the_other_bytes()
    {
        (await Server.PutAsync(Path, "first"u8.ToArray())).EnsureSuccessStatusCode();
        string date = (await Client.GetAsync(Path)).Content.Headers.LastModified!.Value.ToString("R");
        (await Server.PutAsync(Path, "other"u8.ToArray())).EnsureSuccessStatusCode();
        HttpResponseMessage part = await Server.SendAsync("GET", Path, null, ("Range", "bytes=1-2"), ("If-Range", date));
        Assert.Equal((HttpStatusCode.OK, "other"), (part.StatusCode, await part.Content.ReadAsStringAsync()));
    }

    [Theory]
    [InlineData("GET http://localhost?/v1/tables/t/entries/k")]
    [InlineData("GET http://localhost?x=/v1/tables/t/entries/k")]
    [InlineData("POST http://localhost?/v1/tables/t:mget")]
    public async Task A_query_is_no_path(string line)
    {
        (await Server.PutAsync(Path, "secret"u8.ToArray(), "text/plain")).EnsureSuccessStatusCode();
        string answer = await Server.SendRawAsync(line, "Content-Length: 0");
        Assert.DoesNotContain("secret", answer, StringComparison.Ordinal);
        Assert.DoesNotContain("document_invalid", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("/v1/operations")]
    [InlineData("/v1/tables/t:export")]
    [InlineData("/v1/tables/t/keys")]
    [InlineData("/v1/tables/t")]
    [InlineData("/v1/tables")]
    [InlineData("/v1/stats")]
    [InlineData("/v1/memory")]
    [InlineData("/metrics")]
    [InlineData("/openapi/v1.json")]
    public async Task What_can_be_got_has_a_head(string path)
    {
        (await Server.PutAsync(Path, [1])).EnsureSuccessStatusCode();
        HttpResponseMessage whole = await Client.GetAsync(path);
        HttpResponseMessage head = await Client.SendAsync(new HttpRequestMessage(HttpMethod.Head, path));
        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.OK), (whole.StatusCode, head.StatusCode));
        Assert.Equal(whole.Content.Headers.ContentType, head.Content.Headers.ContentType);
        Assert.Empty(await head.Content.ReadAsByteArrayAsync());
    }

    [Theory]
    [InlineData("application/json;q=0, application/vnd.bigpile.batch;q=0.5", BatchForm.Binary)]
    [InlineData("application/json;q=0.000, multipart/mixed;q=0.001", BatchForm.Multipart)]
    [InlineData("application/json;q=0.4, application/vnd.bigpile.batch;q=0.5", BatchForm.Binary)]
    [InlineData("application/vnd.bigpile.batch;q=0.5, */*;q=0.9", BatchForm.Json)]
    [InlineData("*/*;q=0.1, application/vnd.bigpile.batch", BatchForm.Binary)]
    [InlineData("application/json;q=0, */*", BatchForm.Binary)]
    [InlineData("application/*;q=0.5, multipart/*", BatchForm.Multipart)]
    [InlineData("application/json; charset=utf-8; q=0", BatchForm.None)]
    [InlineData("application/json;Q=0", BatchForm.None)]
    [InlineData("*/*;q=0", BatchForm.None)]
    [InlineData("text/html", BatchForm.None)]
    [InlineData("text/html, */*", BatchForm.Json)]
    [InlineData("multipart/mixed, application/json", BatchForm.Multipart)]
    [InlineData("application/json, multipart/mixed", BatchForm.Json)]
    [InlineData("", BatchForm.None)]
    public void The_form_that_weighs_most_is_chosen(string accept, object form) => Assert.Equal(form, BatchForms.Choose(accept));

    [Theory]
    [InlineData("application/x-ndjson;q=0, application/json", "application/json")]
    [InlineData("application/x-ndjson, application/json;q=0.5", "application/x-ndjson")]
    [InlineData("text/html, application/x-ndjson", "application/x-ndjson")]
    [InlineData("*/*", "application/json")]
    public async Task Keys_come_in_the_form_that_weighs_most(string accept, string mediaType)
    {
        (await Server.PutAsync(Path, [1])).EnsureSuccessStatusCode();
        HttpResponseMessage answer = await Server.SendAsync("GET", "/v1/tables/t/keys", null, ("Accept", accept));
        Assert.Equal(mediaType, answer.Content.Headers.ContentType!.MediaType);
    }

    [Fact]
    public async Task Loads_that_wait_for_their_clients_do_not_keep_administration_out()
    {
        var held = new System.Collections.Generic.List<RawConnection>();
        try
        {
            for (int i = 0; i < 32; i++)
            {
                held.Add(await RawConnection.OpenAsync(Server.Address.Port));
                await held[^1].SendAsync("POST /v1/tables/t:load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n");
            }
            await Eventually.TrueAsync(async () => await RunningAsync() >= 32);
            foreach ((string method, string action) in new[] { ("POST", ":load"), ("GET", ":export") })
            {
                _ = await Server.PutAsync(Path, [1]);
                HttpResponseMessage refused = await Server.SendAsync(method, "/v1/tables/t" + action, method == "POST" ? [1] : null);
                await ProblemAsync(refused, HttpStatusCode.TooManyRequests, "operations_busy");
            }
            Assert.Equal(HttpStatusCode.Accepted, (await Client.PostAsync("/v1/admin:flush", null)).StatusCode);
        }
        finally
        {
            held.ForEach(static connection => connection.Abort());
        }
    }

    private async Task<int> RunningAsync() => (await GetJsonAsync("/v1/operations")).GetProperty("operations").EnumerateArray()
        .Count(static operation => operation.GetProperty("state").GetString() == "running");
}
