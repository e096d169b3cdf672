using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Text.Unicode;
using System.Threading.Tasks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Attacks;

/// <summary>Texts that are none, in every place where a text comes in.</summary>
public sealed class InvalidTextTests : ServerTest
{
    // As they stand between quotes in JSON, in Latin-1: bytes above 0x7F go out as they are.
    private static readonly string[] Texts =
    [
        "\\ud800", "\\udc00", "\\ud800x", "a\\udfff", "\\ud800\\ud800", "\u00ff", "\u00c0\u0080", "\u00ed\u00a0\u0080",
            "\u00f5\u0080\u0080\u0080", "a\u00e2\u0082",
        "\\u0000", "a\\u0000b", "\\u12", "\\x", "\u0001", "..", "a/../b", "\\u202e", "\\ufeff", "\\uffff", "",
    ];

    private static readonly (string Action, string Body)[] Places =
    [
        (":mset", "{\"items\":[{\"key\":\"?\",\"text\":\"x\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"text\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"value\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"value\":{\"?\":1}}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"base64\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"contentType\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"encoding\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"ttl\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"priority\":\"?\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"tags\":[\"?\"]}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"?\":\"x\"}]}"),
        (":mset", "{\"items\":[{\"key\":\"k\",\"?\":1}]}"),
        (":mset", "{\"?\":[{\"key\":\"k\"}]}"),
        (":mget", "{\"keys\":[\"?\"]}"),
        (":mget", "{\"?\":[\"k\"]}"),
        (":mdelete", "{\"keys\":[\"?\"]}"),
        (":evict", "{\"tags\":[\"?\"]}"),
        (":evict", "{\"?\":[\"tag\"]}"),
        (":load", "{\"key\":\"?\",\"text\":\"x\"}\n"),
        (":load", "{\"key\":\"k\",\"text\":\"?\"}\n"),
        (":load", "{\"key\":\"k\",\"value\":\"?\"}\n"),
        (":load", "{\"key\":\"k\",\"?\":\"x\"}\n"),
        (":load", "{\"key\":\"k\",\"contentType\":\"?\"}\n"),
        (":load", "{\"key\":\"k\",\"tagHashes\":[\"?\"]}\n"),
        (":load", "{\"bigpile\":\"end\",\"?\":\"?\"}\n"),
        (":load?key=id", "{\"id\":\"?\"}\n"),
        (":load?key=id", "{\"id\":\"k\",\"?\":\"x\"}\n"),
        (":load?key=id", "{\"id\":\"k\",\"other\":\"?\"}\n"),
        ("", "{\"?\":1}"),
        ("", "{\"collisionMode\":\"?\"}"),
        ("", "{\"defaultTtl\":\"?\"}"),
    ];

    [Fact]
    public async Task None_is_a_failure_of_the_service_and_what_is_stored_is_text()
    {
        var wrong = new List<string>();
        foreach ((string action, string body) in Places)
        {
            foreach (string text in Texts)
            {
                using HttpResponseMessage answer = await SendAsync("t", action, body.Replace("?", text, StringComparison.Ordinal));
                byte[] content = await answer.Content.ReadAsByteArrayAsync();
                if ((int)answer.StatusCode >= 500 || !Utf8.IsValid(content) || (content.Length != 0 && !IsJson(content)))
                    wrong.Add($"{action} {body} with {text}: {(int)answer.StatusCode} {Encoding.Latin1.GetString(content)}");
                HttpResponseMessage stored = await Client.GetAsync("/v1/tables/t/entries/k");
                byte[] payload = await stored.Content.ReadAsByteArrayAsync();
                if (stored.IsSuccessStatusCode && stored.Content.Headers.ContentType?.MediaType == "application/json"
                    && !(Utf8.IsValid(payload) && IsJson(payload)))
                    wrong.Add($"{action} {body} with {text}: stored {Encoding.Latin1.GetString(payload)}");
                _ = await Client.DeleteAsync("/v1/tables/t/entries/k");
            }
        }
        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    [Fact]
    public async Task Keys_in_binary_are_given_back_as_text()
    {
        byte[] keys = [2, 0, 0xFF, 0xC0, 1, 0, (byte)'k', 0x88, 0x13, .. new byte[5_000]];
        foreach (string action in new[] { ":mget", ":mdelete" })
        {
            HttpResponseMessage answer =
                await Server.SendAsync("POST", "/v1/tables/t" + action, keys, ("Content-Type", "application/vnd.bigpile.keys"));
            _ = await Server.PutAsync("/v1/tables/t/entries/k", "x"u8.ToArray());
            answer = await Server.SendAsync("POST", "/v1/tables/t" + action, keys, ("Content-Type", "application/vnd.bigpile.keys"));
            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
            JsonElement items = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync()).RootElement.GetProperty("items");
            Assert.Equal([404, action == ":mget" ? 200 : 204, 404], items.EnumerateArray().Select(
                static item => item.GetProperty("status").GetInt32()));
            Assert.Equal("\ufffd\ufffd", items[0].GetProperty("key").GetString());
            Assert.InRange(items[2].GetProperty("key").GetString()!.Length, 1, 1_025);
        }
    }

    [Fact]
    public async Task One_bad_item_of_a_batch_is_that_items_status()
    {
        using HttpResponseMessage answer = await SendAsync(
            "t", ":mset",
            "{\"items\":[{\"key\":\"a\",\"text\":\"1\"},"
            + "{\"key\":\"b\",\"text\":\"\\ud800\"},{\"key\":\"\\udc00\"},{\"key\":\"c\",\"text\":\"2\"}]}");
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        JsonElement items = JsonDocument.Parse(await answer.Content.ReadAsByteArrayAsync()).RootElement.GetProperty("items");
        Assert.Equal([201, 400, 400, 201], items.EnumerateArray().Select(static item => item.GetProperty("status").GetInt32()));
        Assert.Equal("document_invalid", items[1].GetProperty("code").GetString());
        Assert.Equal("2", await Client.GetStringAsync("/v1/tables/t/entries/c"));
    }

    [Theory]
    [InlineData(":mset", "{")]
    [InlineData(":mset", "{\"items\":[{\"key\":\"\\ud800\",\"text\":\"x\"}]}")]
    [InlineData(":mset", "{\"items\":[{\"key\":\"\",\"text\":\"x\"}]}")]
    [InlineData(":mset", "{\"items\":[{\"key\":\"k\",\"encoding\":\"br\",\"base64\":\"AAAA\"}]}")]
    [InlineData(":load", "no json\n")]
    [InlineData(":load", "{\"key\":\"k\",\"encoding\":\"gzip\",\"base64\":\"AAAA\"}\n")]
    [InlineData(":load?key=id", "{\"no\":\"id\"}\n")]
    [InlineData(":mdelete", "{\"keys\":[\"k\"]}")]
    [InlineData(":evict", "{\"tags\":[\"\\ud800\"]}")]
    [InlineData("", "{\"defaultTtl\":\"never\"}")]
    public async Task What_is_refused_leaves_no_table_behind(string action, string body)
    {
        using HttpResponseMessage answer = await SendAsync("fresh", action, body);
        Assert.InRange((int)answer.StatusCode, 200, 499);
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync("/v1/tables/fresh")).StatusCode);
    }

    [Fact]
    public async Task A_load_that_can_not_be_decompressed_leaves_no_table_behind()
    {
        HttpResponseMessage answer =
            await Server.SendAsync("POST", "/v1/tables/fresh:load", "no gzip"u8.ToArray(), ("Content-Encoding", "gzip"));
        await ProblemAsync(answer, HttpStatusCode.BadRequest, "content_encoding_invalid");
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync("/v1/tables/fresh")).StatusCode);
    }

    private Task<HttpResponseMessage> SendAsync(string table, string action, string body) =>
        Server.SendAsync(action.Length == 0
            ? "PUT"
            : "POST", $"/v1/tables/{table}{action}", Encoding.Latin1.GetBytes(body), ("Content-Type", "application/json"));

    private static bool IsJson(byte[] content)
    {
        try
        {
            JsonDocument.Parse(content).Dispose();
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
