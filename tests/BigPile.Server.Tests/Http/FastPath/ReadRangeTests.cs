using System;
using System.Text;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Ranges through the full stack.</summary>
public sealed class ReadRangeTests : StackReadTest
{
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
        App.Put("large", bytes);
        (string head, byte[] part) = await GetAsync("large", "Range: bytes=50000-149999");
        Assert.StartsWith("HTTP/1.1 206 ", head, StringComparison.Ordinal);
        Assert.Equal(bytes[50_000..150_000], part);
        Assert.Equal(bytes, (await GetAsync("large")).Body);
        Assert.StartsWith("HTTP/1.1 416 ", (await GetAsync("large", "Range: bytes=200000-")).Head, StringComparison.Ordinal);
        Assert.StartsWith("HTTP/1.1 304 ", (await GetAsync("large", "If-None-Match: " + Tag("large"))).Head, StringComparison.Ordinal);
    }
}
