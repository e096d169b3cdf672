using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Protocol;

namespace BigPile.Http.Tests.Door;

/// <summary>Reads through the full stack: conditions, ranges, codings, ages.</summary>
public sealed class ReadTests : IAsyncLifetime
{
    private const string At = "/v1/tables/t/entries/";
    private static readonly byte[] Text = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Range(0, 500).Select(static i => $"{i:D4} ")));

    private ServedApp _app = null!;

    public async Task InitializeAsync()
    {
        _app = await ServedApp.StartAsync(isFast: false);
        _app.Put("k", "0123456789"u8);
    }

    public Task DisposeAsync() => _app.DisposeAsync().AsTask();

    private async Task<(string Head, byte[] Body)> GetAsync(string target, params string[] headers) =>
        await SendAsync("GET", target, headers);

    private async Task<(string Head, byte[] Body)> SendAsync(string method, string target, params string[] headers)
    {
        string sent = $"{method} {At}{target} HTTP/1.1\r\nHost: h\r\nConnection: "
            + $"close\r\n{string.Concat(headers.Select(static h => h + "\r\n"))}\r\n";
        byte[] all = await RawClient.ExchangeAsync(_app.Port, Encoding.Latin1.GetBytes(sent));
        int end = all.AsSpan().IndexOf("\r\n\r\n"u8);
        string head = Encoding.Latin1.GetString(all, 0, end + 2);
        byte[] body = all[(end + 4)..];
        return (head, head.Contains("Transfer-Encoding: chunked", StringComparison.Ordinal) ? Join(body) : body);
    }

    private static byte[] Join(byte[] chunks)
    {
        var joined = new List<byte>();
        while (chunks.Length != 0)
        {
            int line = chunks.AsSpan().IndexOf("\r\n"u8);
            int lengthBytes = Convert.ToInt32(Encoding.ASCII.GetString(chunks, 0, line), 16);
            joined.AddRange(chunks.AsSpan(line + 2, lengthBytes));
            chunks = chunks[(line + 2 + lengthBytes + 2)..];
        }
        return [.. joined];
    }

    private string Tag(string key) => EntityTag.Of(_app.Table.TryGetInfo(key, out EntryInfo info) ? info.Version : 0);

    [Fact]
    public async Task An_answer_says_how_old_the_entry_is_and_how_long_it_stays()
    {
        _app.Put("ages", "x"u8, options: new EntryOptions { MaxAge = TimeSpan.FromSeconds(60) });
        _app.Time.Advance(TimeSpan.FromSeconds(10.9));
        foreach (string method in new[] { "GET", "HEAD" })
        {
            (string head, _) = await SendAsync(method, "ages");
            Assert.Contains("Age: 10\r\n", head, StringComparison.Ordinal);
            Assert.Contains("Cache-Control: private, max-age=60\r\n", head, StringComparison.Ordinal);
            Assert.Contains("BigPile-Ttl: 49\r\n", head, StringComparison.Ordinal);
            Assert.Contains("Last-Modified: Wed, 02 Jan 2030 03:04:05 GMT\r\n", head, StringComparison.Ordinal);
            Assert.Contains("Accept-Ranges: bytes\r\n", head, StringComparison.Ordinal);
        }
        (string known, byte[] none) = await GetAsync("ages", "If-None-Match: " + Tag("ages"));
        Assert.Contains("Cache-Control: private, max-age=60\r\n", known, StringComparison.Ordinal);
        Assert.Contains("Age: 10\r\n", known, StringComparison.Ordinal);
        Assert.DoesNotContain("BigPile-Ttl", known, StringComparison.Ordinal);
        Assert.Empty(none);
        (string forever, _) = await GetAsync("k");
        Assert.DoesNotContain("Cache-Control", forever, StringComparison.Ordinal);
        Assert.DoesNotContain("BigPile-Ttl", forever, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("If-Match: {tag}", 200)]
    [InlineData("If-Match: *", 200)]
    [InlineData("If-Match: W/{tag}", 412)]
    [InlineData("If-Match: \"other\"", 412)]
    [InlineData("If-Match: \"other\", {tag}", 200)]
    [InlineData("If-Unmodified-Since: Wed, 02 Jan 2030 03:04:05 GMT", 200)]
    [InlineData("If-Unmodified-Since: Wed, 02 Jan 2030 03:04:04 GMT", 412)]
    [InlineData("If-Unmodified-Since: yesterday", 200)]
    [InlineData("If-Modified-Since: Wed, 02 Jan 2030 03:04:05 GMT", 304)]
    [InlineData("If-Modified-Since: Wed, 02 Jan 2030 03:04:04 GMT", 200)]
    [InlineData("If-Modified-Since: yesterday", 200)]
    // What comes first decides (RFC 9110, 13.2.2).
    [InlineData("If-Match: {tag}\r\nIf-Unmodified-Since: Wed, 02 Jan 2030 03:04:04 GMT", 200)]
    [InlineData("If-Match: \"other\"\r\nIf-None-Match: {tag}", 412)]
    [InlineData("If-Match: {tag}\r\nIf-None-Match: {tag}", 304)]
    [InlineData("If-None-Match: \"other\"\r\nIf-Modified-Since: Wed, 02 Jan 2030 03:04:05 GMT", 200)]
    [InlineData("If-None-Match: {tag}\r\nIf-Modified-Since: Wed, 02 Jan 2030 03:04:04 GMT", 304)]
    public async Task Conditions_count_in_their_order(string headers, int status)
    {
        foreach (string method in new[] { "GET", "HEAD" })
        {
            (string head, byte[] body) = await SendAsync(method, "k", headers.Replace("{tag}", Tag("k"), StringComparison.Ordinal));
            Assert.StartsWith($"HTTP/1.1 {status} ", head, StringComparison.Ordinal);
            if (status == 412 && method == "GET")
                Assert.Contains("\"code\":\"precondition_failed\"", Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        }
        Assert.StartsWith("HTTP/1.1 404 ", (await GetAsync("none", headers)).Head, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("bytes=0-0", 206, "0", "0-0")]
    [InlineData("bytes=2-4", 206, "234", "2-4")]
    [InlineData("Bytes= 2 - 4 ", 206, "234", "2-4")]
    [InlineData("bytes=8-100", 206, "89", "8-9")]
    [InlineData("bytes=8-99999999999999999999", 206, "89", "8-9")]
    [InlineData("bytes=5-", 206, "56789", "5-9")]
    [InlineData("bytes=-3", 206, "789", "7-9")]
    [InlineData("bytes=-100", 206, "0123456789", "0-9")]
    [InlineData("bytes=10-", 416, null, "*")]
    [InlineData("bytes=99999999999999999999-", 416, null, "*")]
    [InlineData("bytes=-0", 416, null, "*")]
    [InlineData("bytes=0-1,3-4", 200, "0123456789", null)]
    [InlineData("bytes=4-2", 200, "0123456789", null)]
    [InlineData("bytes=-", 200, "0123456789", null)]
    [InlineData("bytes=x-1", 200, "0123456789", null)]
    [InlineData("lines=1-2", 200, "0123456789", null)]
    [InlineData("bytes", 200, "0123456789", null)]
    public async Task A_range_gives_a_part(string range, int status, string? expected, string? contentRange)
    {
        (string head, byte[] body) = await GetAsync("k", "Range: " + range);
        Assert.StartsWith($"HTTP/1.1 {status} ", head, StringComparison.Ordinal);
        if (contentRange != null)
            Assert.Contains($"Content-Range: bytes {contentRange}/10\r\n", head, StringComparison.Ordinal);
        else
            Assert.DoesNotContain("Content-Range", head, StringComparison.Ordinal);
        if (expected != null)
            Assert.Equal((expected, true),
                (Encoding.ASCII.GetString(body), head.Contains($"Content-Length: {expected.Length}\r\n", StringComparison.Ordinal)));
        else
            Assert.Contains("\"code\":\"range_not_satisfiable\"", Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200 ", (await SendAsync("HEAD", "k", "Range: " + range)).Head, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{tag}", 206)]
    [InlineData("W/{tag}", 200)]
    [InlineData("\"other\"", 200)]
    [InlineData("*", 200)]
    [InlineData("Wed, 02 Jan 2030 03:04:05 GMT", 200)] // in that second there may have been other bytes
    [InlineData("Wed, 02 Jan 2030 03:04:06 GMT", 200)]
    public async Task A_range_counts_only_for_the_bytes_that_If_Range_names(string ifRange, int status)
    {
        (string head, _) =
            await GetAsync("k", "Range: bytes=1-2", "If-Range: " + ifRange.Replace("{tag}", Tag("k"), StringComparison.Ordinal));
        Assert.StartsWith($"HTTP/1.1 {status} ", head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_large_entry_has_ranges_too()
    {
        var bytes = new byte[200_000];
        new Random(3).NextBytes(bytes);
        _app.Put("large", bytes);
        (string head, byte[] part) = await GetAsync("large", "Range: bytes=50000-149999");
        Assert.StartsWith("HTTP/1.1 206 ", head, StringComparison.Ordinal);
        Assert.Equal(bytes[50_000..150_000], part);
        Assert.Equal(bytes, (await GetAsync("large")).Body);
        Assert.StartsWith("HTTP/1.1 416 ", (await GetAsync("large", "Range: bytes=200000-")).Head, StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 304 ", (await GetAsync("large", "If-None-Match: " + Tag("large"))).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_entry_that_is_too_old_is_as_good_as_missing()
    {
        _app.Time.Advance(TimeSpan.FromSeconds(30));
        Assert.StartsWith("HTTP/1.1 200 ", (await GetAsync("k?maxAge=30")).Head, StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 200 ", (await GetAsync("k?x=1&maxAge=9999999999&y")).Head, StringComparison.Ordinal);
        (string head, byte[] body) = await GetAsync("k?maxAge=29");
        Assert.StartsWith("HTTP/1.1 404 ", head, StringComparison.Ordinal);
        Assert.Contains("\"code\":\"entry_stale\"", Encoding.UTF8.GetString(body), StringComparison.Ordinal);
        foreach (string wrong in new[] { "", "-1", "1s", "1.5", "10000000000" })
            Assert.StartsWith("HTTP/1.1 400 ", (await GetAsync("k?maxAge=" + wrong)).Head, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_prefers_it_gets_404_without_a_body()
    {
        (string head, byte[] body) = await GetAsync("none", "Prefer: respond-async, return=minimal; x=y");
        Assert.StartsWith("HTTP/1.1 404 ", head, StringComparison.Ordinal);
        Assert.Contains("Content-Length: 0\r\n", head, StringComparison.Ordinal);
        Assert.Contains("Preference-Applied: return=minimal\r\n", head, StringComparison.Ordinal);
        Assert.Empty(body);
        Assert.NotEmpty((await GetAsync("none", "Prefer: return=representation")).Body);
    }

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
        string tag = _app.Put("packed", packed, "text/plain", (ContentCoding)coding);

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

    [Fact]
    public async Task A_slow_client_loses_the_lease_and_nothing_else()
    {
        var bytes = new byte[8 << 20];
        new Random(6).NextBytes(bytes);
        _app.Put("large", bytes);
        Pile pile = _app.Table.Core.Pile;
        using RawClient client = await RawClient.ConnectAsync(_app.Port, receiveBytes: 4_096);
        await client.SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
        while (pile.LeaseCount == 0)
            await Task.Yield();
        _app.Table.Remove("large");
        _app.Time.Advance(TimeSpan.FromSeconds(4.9));
        Assert.Equal(1, pile.LeaseCount);
        // The timer may be made a moment later than the lease.
        while (pile.LeaseCount != 0)
        {
            _app.Time.Advance(TimeSpan.FromSeconds(1));
            await Task.Yield();
        }
        byte[] received = await client.ReadToEndAsync();
        Assert.Equal(bytes, received[^bytes.Length..]);
    }

    [Fact]
    public async Task A_client_that_goes_away_leaves_no_lease()
    {
        _app.Put("large", new byte[8 << 20]);
        Pile pile = _app.Table.Core.Pile;
        using (RawClient client = await RawClient.ConnectAsync(_app.Port, receiveBytes: 4_096))
        {
            await client.SendAsync($"GET {At}large HTTP/1.1\r\nHost: h\r\n\r\n");
            while (pile.LeaseCount == 0)
                await Task.Yield();
        }
        while (pile.LeaseCount != 0)
            await Task.Yield();
    }

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
