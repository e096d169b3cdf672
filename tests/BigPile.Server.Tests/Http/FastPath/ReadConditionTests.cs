using System;
using System.Text;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Conditional reads through the full stack.</summary>
public sealed class ReadConditionTests : StackReadTest
{
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
}
