using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Net;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Entries;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

/// <summary>Payloads that come compressed.</summary>
public sealed class StoredCodingTests : ServerTest
{
    private const string Path = "/v1/tables/t/entries/k";

    protected override string[] Settings => ["--Server:MaxBodyBytes=1m"];

    [Theory]
    [InlineData("gzip", 1)]
    [InlineData("x-gzip", 1)]
    [InlineData("br", 2)]
    [InlineData("deflate", 3)]
    [InlineData("identity", 0)]
    public async Task A_payload_is_stored_as_it_came(string encoding, int coding)
    {
        byte[] payload = Pack((ContentCoding)coding, Text(5000));
        (await Server.SendAsync("PUT", Path, payload, ("Content-Encoding", encoding), ("Content-Type", "text/plain")))
            .EnsureSuccessStatusCode();
        byte[] value = Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t").Get("k");
        Assert.True(StoredValue.TryReadHead(value, out string? type, out ContentCoding stored, out int headBytes));
        Assert.Equal(("text/plain", (ContentCoding)coding), (type, stored));
        Assert.Equal(payload, value[headBytes..]);
    }

    [Theory]
    [InlineData("gzip", ContentCoding.Gzip)]
    [InlineData("br", ContentCoding.Brotli)]
    [InlineData("deflate", ContentCoding.Deflate)]
    public async Task A_payload_that_would_blow_up_is_refused(string encoding, object coding)
    {
        byte[] bomb = Pack((ContentCoding)coding, new byte[64 << 20]);
        Assert.InRange(bomb.Length, 1, 1 << 20);
        System.Text.Json.JsonElement problem = await ProblemAsync(
            await Server.SendAsync("PUT", Path, bomb, ("Content-Encoding", encoding)), HttpStatusCode.RequestEntityTooLarge,
            "body_too_large");
        Assert.Equal(1 << 20, problem.GetProperty("limit").GetInt32());
        byte[] most = Pack((ContentCoding)coding, new byte[1 << 20]);
        (await Server.SendAsync("PUT", Path, most, ("Content-Encoding", encoding))).EnsureSuccessStatusCode();
    }

    [Theory]
    [InlineData("gzip", ContentCoding.Gzip)]
    [InlineData("br", ContentCoding.Brotli)]
    [InlineData("deflate", ContentCoding.Deflate)]
    public async Task A_payload_that_is_cut_off_or_damaged_is_refused(string encoding, object coding)
    {
        byte[] payload = Pack((ContentCoding)coding, Text(5000));
        foreach (int length in Enumerable.Range(0, payload.Length - 1).Where(length => length % 37 == 0).Append(payload.Length - 1))
            await RefusedAsync(payload[..length], encoding);
        byte[] damaged = [.. payload];
        damaged[payload.Length / 2] ^= 0xFF;
        await RefusedAsync(damaged, encoding);
        await RefusedAsync("not compressed at all"u8.ToArray(), encoding);
        Assert.Equal(HttpStatusCode.NotFound, (await Client.GetAsync(Path)).StatusCode);
    }

    [Theory]
    [InlineData("gzip", ContentCoding.Gzip)]
    [InlineData("br", ContentCoding.Brotli)]
    [InlineData("deflate", ContentCoding.Deflate)]
    public async Task What_follows_the_end_of_a_payload_is_refused(string encoding, object coding)
    {
        foreach (int length in new[] { 10, 5000, 100_000 })
        {
            byte[] payload = Pack((ContentCoding)coding, Text(length));
            foreach (byte[] rest in (byte[][])[[0], new byte[8], payload[^4..], payload[^8..], [0, 0x1F, 0x8B, 8, .. payload[^4..]], Text(
                20_000)])
                await RefusedAsync([.. payload, .. rest], encoding);
        }
        byte[] twice = [.. Pack((ContentCoding)coding, Text(10)), .. Pack((ContentCoding)coding, Text(10))];
        if (encoding != "gzip") // which alone has members
            await RefusedAsync(twice, encoding);
    }

    [Fact]
    public async Task Gzip_members_may_be_several_and_empty_and_have_heads_of_all_kinds()
    {
        byte[] plain = Pack(ContentCoding.Gzip, Text(3000));
        byte[] empty = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        byte[] named =
            [.. plain[..3], 2 + 4 + 8 + 16, .. plain[4..10], 3, 0, 7, 7, 7, .. "a name\0"u8, .. "a comment\0"u8, 1, 2, .. plain[10..]];
        byte[][] payloads = [plain, empty, named, [.. plain, .. empty, .. named, .. plain], [.. empty, .. empty],
            [.. Pack(ContentCoding.Gzip, new byte[1000]), .. empty]];
        foreach (byte[] payload in payloads)
        {
            (await Server.SendAsync("PUT", Path, payload, ("Content-Encoding", "gzip"))).EnsureSuccessStatusCode();
            await RefusedAsync(payload[..^1], "gzip");
            await RefusedAsync([.. payload, 0], "gzip");
        }
    }

    private async Task RefusedAsync(byte[] payload, string encoding) =>
        await ProblemAsync(
            await Server.SendAsync("PUT", Path, payload, ("Content-Encoding", encoding)), HttpStatusCode.BadRequest,
            "content_encoding_invalid");

    private static byte[] Text(int lengthBytes)
    {
        var random = new Random(3);
        return [.. Enumerable.Range(0, lengthBytes).Select(_ => (byte)random.Next('a', 'z' + 1))];
    }

    internal static byte[] Pack(object coding, byte[] bytes)
    {
        if ((ContentCoding)coding == ContentCoding.Identity)
            return bytes;
        var packed = new MemoryStream();
        using (Stream stream = (ContentCoding)coding switch
        {
            ContentCoding.Gzip => new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true),
            ContentCoding.Brotli => new BrotliStream(packed, CompressionLevel.Fastest, leaveOpen: true),
            _ => new ZLibStream(packed, CompressionLevel.Optimal, leaveOpen: true),
        })
        {
            stream.Write(bytes);
        }
        return packed.ToArray();
    }
}
