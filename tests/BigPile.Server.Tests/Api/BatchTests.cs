using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Support;
using Microsoft.AspNetCore.WebUtilities;

namespace BigPile.Server.Tests.Api;

public sealed class BatchTests : ServerTest
{
    private const string Table = "/v1/tables/t";

    protected override string[] Settings => ["--Server:MaxBodyBytes=1m"];

    private CacheTable<string, byte[]> Entries => Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");

    [Fact]
    public async Task Mget_gives_values_in_the_order_of_the_keys_in_three_forms()
    {
        byte[] compressed = StoredCodingTests.Pack(ContentCoding.Gzip, new byte[100]);
        await PutAsync("a/b", "{\"v\":1}"u8.ToArray(), ("Content-Type", "application/json"));
        await PutAsync("ü 🔑", compressed, ("Content-Type", "text/x-own"), ("Content-Encoding", "gzip"), ("BigPile-Ttl", "1h"));
        await PutAsync("empty", []);
        string[] keys = ["ü 🔑", "none", "a/b", "empty", "a/b"];
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(new { keys });

        (BatchFrame Frame, string Type, byte[] Payload)[] frames =
            Frames(await MgetAsync(body, "application/json", "application/vnd.bigpile.batch"));
        Assert.Equal([200, 404, 200, 200, 200], frames.Select(static item => item.Frame.Status));
        Assert.Equal(["text/x-own", "", "application/json", "application/octet-stream", "application/json"], frames.Select(
            static item => item.Type));
        Assert.Equal(compressed, frames[0].Payload);
        Assert.Equal(1, frames[0].Frame.Coding);
        Assert.InRange(frames[0].Frame.LifetimeSeconds, 3_500u, 3_600u);
        Assert.Equal((0u, 0UL), (frames[1].Frame.LifetimeSeconds, frames[1].Frame.Version));
        Assert.Equal("{\"v\":1}", Encoding.UTF8.GetString(frames[2].Payload));
        Assert.Equal((await Client.GetAsync(Table + "/entries/a/b")).Headers.ETag!.Tag, EntityTag.Of(frames[4].Frame.Version));

        byte[] compact = [.. keys.SelectMany(static key => Prefixed(Encoding.UTF8.GetBytes(key)))];
        Assert.Equal(
            await BytesAsync(await MgetAsync(body, "application/json", BatchForms.Binary)),
            await BytesAsync(await MgetAsync(compact, BatchForms.Keys, BatchForms.Binary)));

        JsonElement[] items = [.. JsonDocument.Parse(
            await BytesAsync(await MgetAsync(body, "application/json", "*/*"))).RootElement.GetProperty("items").EnumerateArray()];
        Assert.Equal(keys, items.Select(static item => item.GetProperty("key").GetString()));
        Assert.Equal(compressed, items[0].GetProperty("base64").GetBytesFromBase64());
        Assert.Equal("gzip", items[0].GetProperty("encoding").GetString());
        Assert.Equal("entry_not_found", items[1].GetProperty("code").GetString());
        Assert.Equal("application/json", items[2].GetProperty("contentType").GetString());

        HttpResponseMessage parts = await MgetAsync(body, "application/json", "multipart/mixed");
        string boundary = parts.Content.Headers.ContentType!.Parameters.Single(static parameter => parameter.Name == "boundary").Value!;
        var reader = new MultipartReader(boundary, await parts.Content.ReadAsStreamAsync());
        for (int i = 0; i < keys.Length; i++)
        {
            MultipartSection part = (await reader.ReadNextSectionAsync())!;
            Assert.Equal(keys[i], Uri.UnescapeDataString(part.Headers!["BigPile-Key"].ToString()));
            Assert.Equal(frames[i].Frame.Status.ToString(), part.Headers["BigPile-Status"].ToString());
            var payload = new MemoryStream();
            await part.Body.CopyToAsync(payload);
            Assert.Equal(frames[i].Payload, payload.ToArray());
        }
        Assert.Null(await reader.ReadNextSectionAsync());
    }

    [Fact]
    public async Task Many_and_large_values_come_whole()
    {
        var random = new Random(5);
        var values = new Dictionary<string, byte[]>();
        for (int i = 0; i < 300; i++)
        {
            var value = new byte[random.Next(i % 10 == 0 ? 200_000 : 2_000)];
            random.NextBytes(value);
            values[$"k{i}"] = value;
            await PutAsync($"k{i}", value);
        }
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(new { keys = values.Keys });
        (BatchFrame Frame, string Type, byte[] Payload)[] frames = Frames(await MgetAsync(body, "application/json", BatchForms.Binary));
        Assert.Equal(values.Values, frames.Select(static item => item.Payload));
    }

    [Fact]
    public async Task What_is_beyond_the_limit_of_bytes_says_so_item_by_item()
    {
        for (int i = 0; i < 40; i++)
            await PutAsync($"k{i}", new byte[1 << 20]);
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(new { keys = Enumerable.Range(0, 40).Select(static i => $"k{i}") });
        (BatchFrame Frame, string Type, byte[] Payload)[] frames = Frames(await MgetAsync(body, "application/json", BatchForms.Binary));
        Assert.Equal(31, frames.Count(static item => item.Frame.Status == 200)); // of 32 MiB, with the bytes for the content types
        Assert.All(frames.Skip(31), static item => Assert.Equal((413, 0), (item.Frame.Status, item.Payload.Length)));
    }

    [Theory]
    [InlineData("rubbish", 400, "document_invalid")]
    [InlineData("{}", 400, "document_invalid")]
    [InlineData("{\"keys\":1}", 400, "document_invalid")]
    [InlineData("{\"keys\":[1]}", 400, "document_invalid")]
    [InlineData("{\"keys\":[\"a\"]", 400, "document_invalid")]
    [InlineData("{\"keys\":[\"a\"],\"more\":1}", 400, "document_invalid")]
    [InlineData("{\"keys\":[\"\\ud800\"]}", 400, "document_invalid")]
    [InlineData("", 400, "document_invalid")]
    public async Task A_document_that_is_none_is_refused(string body, int status, string code)
    {
        await PutAsync("a", [1]);
        foreach (string action in new[] { ":mget", ":mdelete" })
            await ProblemAsync(await Server.SendAsync("POST", Table + action, Encoding.UTF8.GetBytes(body)), (HttpStatusCode)status, code);
        Assert.True(Entries.ContainsKey("a"));
    }

    [Fact]
    public async Task Too_many_keys_are_refused_and_nothing_is_done()
    {
        await PutAsync("a", [1]);
        byte[] body = JsonSerializer.SerializeToUtf8Bytes(new { keys = Enumerable.Repeat("a", 10_001) });
        JsonElement problem = await ProblemAsync(
            await Server.SendAsync("POST", Table + ":mdelete", body), HttpStatusCode.RequestEntityTooLarge, "batch_too_large");
        Assert.Equal(10_000, problem.GetProperty("limit").GetInt32());
        byte[] compact = [.. Enumerable.Repeat(Prefixed("a"u8.ToArray()), 10_001).SelectMany(static key => key)];
        await ProblemAsync(await MgetAsync(compact, BatchForms.Keys, "*/*"), HttpStatusCode.RequestEntityTooLarge, "batch_too_large");
        await ProblemAsync(await MgetAsync([5, 0, (byte)'a'], BatchForms.Keys, "*/*"), HttpStatusCode.BadRequest, "document_invalid");
        await ProblemAsync(await MgetAsync(body, "text/plain", "*/*"), HttpStatusCode.UnsupportedMediaType, "content_type_unsupported");
        await ProblemAsync(await MgetAsync(body, "application/json", "text/html"), HttpStatusCode.NotAcceptable, "not_acceptable");
        string other = await Server.SendRawAsync("GET " + Table + ":mget");
        Assert.StartsWith("HTTP/1.1 405 ", other, StringComparison.Ordinal);
        Assert.Contains("Allow: POST\r\n", other, StringComparison.Ordinal);
        Assert.True(Entries.ContainsKey("a"));
        await ProblemAsync(await Server.SendAsync(
            "POST", "/v1/tables/none:mget", "{\"keys\":[]}"u8.ToArray()), HttpStatusCode.NotFound, "table_not_found");
        await ProblemAsync(await Server.SendAsync("POST", Table + ":mfly", []), HttpStatusCode.NotFound, "route_not_found");
    }

    [Fact]
    public async Task Mset_puts_each_item_for_itself()
    {
        await PutAsync("old", [1]);
        const string Body = """
            {"items":[
              {"key":"old","value":{"a": [1, "\u00fc"]}},
              {"key":"text","text":"h\u00e9","ttl":"1h","tags":["x"],"priority":"high"},
              {"key":"raw","base64":"AQID","contentType":"image/png"},
              {"key":"bad/../key","value":1},
              {"value":1},
              {"key":"two","value":1,"text":"a"},
              {"key":"none","color":"red"},
              {"key":"empty"}
            ]}
            """;
        HttpResponseMessage answer = await Server.SendAsync("POST", Table + ":mset", Encoding.UTF8.GetBytes(Body), ("BigPile-Ttl", "1m"));
        JsonElement[] items = [.. JsonDocument.Parse(await BytesAsync(answer)).RootElement.GetProperty("items").EnumerateArray()];
        Assert.Equal([204, 201, 201, 400, 400, 400, 400, 201], items.Select(static item => item.GetProperty("status").GetInt32()));
        Assert.Equal("{\"a\": [1, \"\\u00fc\"]}", await Client.GetStringAsync(Table + "/entries/old"));
        Assert.Equal("hé", await Client.GetStringAsync(Table + "/entries/text"));
        HttpResponseMessage raw = await Client.GetAsync(Table + "/entries/raw");
        Assert.Equal("image/png", raw.Content.Headers.ContentType?.ToString());
        Assert.Equal(raw.Headers.ETag!.Tag, items[2].GetProperty("etag").GetString());
        Assert.True(Entries.TryGetEntry("text", out TableEntry<string> text));
        Assert.Equal(EntryPriority.High, text.Priority);
        Assert.True(Entries.TryGetEntry("old", out TableEntry<string> old));
        Assert.InRange((text.ExpiresAt - old.ExpiresAt)!.Value, TimeSpan.FromMinutes(58), TimeSpan.FromMinutes(60));
        Entries.RemoveByTag("x");
        Assert.False(Entries.ContainsKey("text"));
        await ProblemAsync(await Server.SendAsync(
            "POST", Table + ":mset", "{\"items\":[{\"key\":\"n\"}, 5]}"u8.ToArray()), HttpStatusCode.BadRequest, "document_invalid");
        Assert.False(Entries.ContainsKey("n"));
    }

    [Fact]
    public async Task Mset_takes_frames_and_mdelete_removes()
    {
        byte[] body =
        [
            .. Frame(
                "a", "text/plain", 0, [1, 2], 0), .. Frame("b", "", 0, [], 60), .. Frame("c", "x", 0, [3], 0), .. Frame("", "", 0, [], 0),
            .. Frame("d", "text/plain", 1, StoredCodingTests.Pack(ContentCoding.Gzip, [9]), 0), .. Frame("e", "", 1, [9], 0),
            .. Frame("f", "", 9, [9], 0),
        ];
        HttpResponseMessage answer = await Server.SendAsync(
            "POST", Table + ":mset", body, ("Content-Type", BatchForms.Binary), ("Accept", BatchForms.Binary));
        (BatchFrame Frame, string Type, byte[] Payload)[] frames = Frames(answer);
        Assert.Equal([201, 201, 415, 400, 201, 400, 415], frames.Select(static item => item.Frame.Status));
        Assert.Equal([1, 2], await Client.GetByteArrayAsync(Table + "/entries/a"));
        Assert.True(Entries.TryGetEntry("b", out TableEntry<string> b));
        Assert.NotNull(b.ExpiresAt);
        await ProblemAsync(
            await Server.SendAsync("POST", Table + ":mset", body[..^1], ("Content-Type", BatchForms.Binary)), HttpStatusCode.BadRequest,
            "document_invalid");

        HttpResponseMessage deleted = await Server.SendAsync("POST", Table + ":mdelete", "{\"keys\":[\"a\",\"zz\",\"b\"]}"u8.ToArray());
        JsonElement items = JsonDocument.Parse(await BytesAsync(deleted)).RootElement.GetProperty("items");
        Assert.Equal([204, 404, 204], items.EnumerateArray().Select(static item => item.GetProperty("status").GetInt32()));
        Assert.Equal(["d"], Entries.Keys);
    }

    [Fact]
    public async Task Mset_refuses_what_a_put_refuses_item_by_item()
    {
        await PutAsync("there", [1]);
        string deep = new string('[', 200) + new string(']', 200);
        string body =
            "{\"items\":[{\"key\":\"there\",\"text\":\"x\",\"expires\":\"2001-01-01T00:00:00Z\"},"
            + "{\"key\":\"a\",\"key\":\"b\",\"text\":\"x\"},"
            + $"{{\"key\":\"deep\",\"value\":{deep}}}]}}";
        byte[] answer = await BytesAsync(await Server.SendAsync("POST", Table + ":mset", Encoding.UTF8.GetBytes(body)));
        JsonElement items = JsonDocument.Parse(answer).RootElement.GetProperty("items");
        Assert.Equal([400, 400, 201], items.EnumerateArray().Select(static item => item.GetProperty("status").GetInt32()));
        Assert.Equal([1], await Client.GetByteArrayAsync(Table + "/entries/there"));
        Assert.Equal(deep, await Client.GetStringAsync(Table + "/entries/deep"));

        byte[] frame = Frame("a", "text/plain; x=\"_\"", 0, [1], 0);
        frame[frame.AsSpan().IndexOf((byte)'_')] = 0xE4;
        HttpResponseMessage frames = await Server.SendAsync(
            "POST", Table + ":mset", frame, ("Content-Type", BatchForms.Binary), ("Accept", BatchForms.Binary));
        Assert.Equal(415, Assert.Single(Frames(frames)).Frame.Status);
    }

    private static byte[] Frame(string key, string type, byte coding, byte[] payload, uint seconds)
    {
        byte[] keyBytes = Encoding.UTF8.GetBytes(key);
        var head = new byte[BatchFrame.HeadBytes];
        new BatchFrame(payload.Length, keyBytes.Length, type.Length, coding, 0, seconds, 0).Write(head);
        return [.. head, .. keyBytes, .. Encoding.ASCII.GetBytes(type), .. payload];
    }

    private static (BatchFrame Frame, string Type, byte[] Payload)[] Frames(HttpResponseMessage response)
    {
        Assert.Equal((HttpStatusCode.OK, BatchForms.Binary), (response.StatusCode, response.Content.Headers.ContentType?.ToString()));
        byte[] body = response.Content.ReadAsByteArrayAsync().GetAwaiter().GetResult();
        Assert.Equal(body.Length, response.Content.Headers.ContentLength);
        var frames = new List<(BatchFrame, string, byte[])>();
        for (ReadOnlySpan<byte> rest = body; !rest.IsEmpty;)
        {
            Assert.True(BatchFrame.TryRead(rest, out BatchFrame frame));
            ReadOnlySpan<byte> item = rest.Slice(BatchFrame.HeadBytes, (int)frame.RestBytes);
            frames.Add((frame, Encoding.ASCII.GetString(
                item.Slice(frame.KeyBytes, frame.TypeBytes)), item[(frame.KeyBytes + frame.TypeBytes)..].ToArray()));
            rest = rest[(BatchFrame.HeadBytes + item.Length)..];
        }
        return [.. frames];
    }

    private static byte[] Prefixed(byte[] key)
    {
        var bytes = new byte[sizeof(ushort) + key.Length];
        BinaryPrimitives.WriteUInt16LittleEndian(bytes, (ushort)key.Length);
        key.CopyTo(bytes, sizeof(ushort));
        return bytes;
    }

    private static Task<byte[]> BytesAsync(HttpResponseMessage response)
    {
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return response.Content.ReadAsByteArrayAsync();
    }

    private Task<HttpResponseMessage> MgetAsync(byte[] body, string contentType, string accept) =>
        Server.SendAsync("POST", Table + ":mget", body, ("Content-Type", contentType), ("Accept", accept));

    private async Task PutAsync(string key, byte[] payload, params (string, string)[] headers) =>
        (await Server.SendAsync("PUT", $"{Table}/entries/{Uri.EscapeDataString(key)}", payload, headers)).EnsureSuccessStatusCode();
}
