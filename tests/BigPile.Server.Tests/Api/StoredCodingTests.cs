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
        (await Server.SendAsync("PUT", Path, payload, ("Content-Encoding", encoding), ("Content-Type", "text/plain"))).EnsureSuccessStatusCode();
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
            await Server.SendAsync("PUT", Path, bomb, ("Content-Encoding", encoding)), HttpStatusCode.RequestEntityTooLarge, "body_too_large");
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

    private async Task RefusedAsync(byte[] payload, string encoding) =>
        await ProblemAsync(
            await Server.SendAsync("PUT", Path, payload, ("Content-Encoding", encoding)), HttpStatusCode.BadRequest, "content_encoding_invalid");

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
