using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Compressed entries through the full stack.</summary>
public sealed class ReadCodingTests : StackReadTest
{
    private static readonly byte[] Text = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, 500).Select(static i => $"{i:D4} ")));

    [Theory]
    [InlineData(1, "gzip", 500)]
    [InlineData(2, "br", 500)]
    [InlineData(3, "deflate", 500)]
    [InlineData(1, "x-gzip", 500)]
    [InlineData(1, "gzip", 400_000)]
    [InlineData(2, "br", 400_000)]
    [InlineData(3, "deflate", 400_000)]
    public async Task A_compressed_entry_goes_out_as_it_is_to_who_takes_it_and_decompressed_to_who_does_not(
        int coding, string name, int repeats)
    {
        byte[] text = repeats == 500 ? Text : new byte[repeats];
        if (repeats != 500)
            new Random(5).NextBytes(text); // more than the output's buffer, also compressed
        byte[] packed = Pack(text, (ContentCoding)coding);
        string tag = App.Put("packed", packed, "text/plain", (ContentCoding)coding);

        (string asIs, byte[] same) = await GetAsync("packed", "Accept-Encoding: " + name);
        Assert.Equal(packed, same);
        Assert.Contains($"Content-Encoding: {name.Replace("x-", "", StringComparison.Ordinal)}\r\n", asIs, StringComparison.Ordinal);
        Assert.Contains("Vary: Accept-Encoding\r\n", asIs, StringComparison.Ordinal);
        Assert.Contains($"ETag: {tag}\r\n", asIs, StringComparison.Ordinal);
        Assert.Contains($"Content-Length: {packed.Length}\r\n", asIs, StringComparison.Ordinal);

        foreach (string[] headers in new string[][] { [], ["Accept-Encoding: zstd"], ["Accept-Encoding: identity;q=1, *;q=0"] })
        {
            (string decoded, byte[] whole) = await GetAsync("packed", headers);
            Assert.Equal(text, whole);
            Assert.DoesNotContain("Content-Encoding", decoded, StringComparison.Ordinal);
            Assert.DoesNotContain("Accept-Ranges", decoded, StringComparison.Ordinal);
            Assert.Contains("Vary: Accept-Encoding\r\n", decoded, StringComparison.Ordinal);
            Assert.Contains($"ETag: {tag[..^1]}-i\"\r\n", decoded, StringComparison.Ordinal);
        }
        Assert.StartsWith("HTTP/1.1 304 ", (await GetAsync("packed", $"If-None-Match: {tag[..^1]}-i\"")).Head, StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200 ", (await GetAsync("packed", $"If-None-Match: {tag}")).Head, StringComparison.Ordinal);
        (string refused, byte[] problem) = await GetAsync("packed", "Accept-Encoding: identity;q=0");
        Assert.StartsWith("HTTP/1.1 406 ", refused, StringComparison.Ordinal);
        Assert.Contains("\"code\":\"encoding_not_acceptable\"", Encoding.UTF8.GetString(problem), StringComparison.Ordinal);
        Assert.Empty((await SendAsync("HEAD", "packed")).Body);
    }

    [Theory]
    [InlineData("", 1, 1)]
    [InlineData("gzip", 1, 0)]
    [InlineData("GZip;q=0.001", 1, 0)]
    [InlineData("gzip;q=0", 1, 1)]
    [InlineData("gzip; Q=0.000", 1, 1)]
    [InlineData("gzip;q=0, identity;q=0", 1, 2)]
    [InlineData("gzip;q=0,*;q=0", 1, 2)]
    [InlineData("*", 1, 0)]
    [InlineData("*;q=0", 1, 2)]
    [InlineData("*;q=0", 0, 2)]
    [InlineData("identity;q=0", 0, 2)]
    [InlineData("identity;q=0, *", 0, 2)]
    [InlineData("identity, *;q=0", 0, 0)]
    [InlineData("br", 0, 0)]
    [InlineData("gzip;q=0.5, identity;q=0.8", 1, 1)]
    [InlineData("gzip;q=0.8, identity;q=0.5", 1, 0)]
    [InlineData(" , gzip ,", 1, 0)]
    [InlineData("gzip;q=rubbish", 1, 0)]
    public void Weights_decide_the_form(string header, int coding, int form) =>
        Assert.Equal((PayloadForm)form, AcceptEncoding.Choose(Encoding.ASCII.GetBytes(header), (ContentCoding)coding));

    private static byte[] Pack(byte[] text, ContentCoding coding)
    {
        using var packed = new MemoryStream();
        using (Stream stream = coding switch
        {
            ContentCoding.Gzip => new GZipStream(packed, CompressionLevel.Fastest),
            ContentCoding.Brotli => new BrotliStream(packed, CompressionLevel.Fastest),
            _ => new ZLibStream(packed, CompressionLevel.Fastest),
        })
        {
            stream.Write(text);
        }
        return packed.ToArray();
    }
}
