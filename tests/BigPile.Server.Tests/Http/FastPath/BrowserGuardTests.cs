using System;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Caching.Tests;
using BigPile.Http.Entries;
using BigPile.Http.FastPath;
using BigPile.Http.Protocol;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>A stored page does not run in a browser, whether the fast path or the full stack sends it.</summary>
public sealed class BrowserGuardTests(ServerPair servers) : IClassFixture<ServerPair>
{
    private const string At = "/v1/tables/t/entries/";
    private const string Last = "Host: h\r\nConnection: close\r\n\r\n";

    public static TheoryData<string, string> Pages
    {
        get
        {
            var pages = new TheoryData<string, string>();
            foreach (string method in (string[])["GET", "HEAD"])
            {
                foreach (string key in (string[])["text/html", "image/svg+xml", "application/xml", "text/xml", "application/pdf",
                    "zip-page"])
                    pages.Add(method, key);
            }
            return pages;
        }
    }

    [Theory]
    [MemberData(nameof(Pages))]
    public async Task The_door_and_the_stack_put_a_page_into_a_sandbox(string method, string key)
    {
        long answered = servers.Fast.Counters.Answered;
        string answer = await servers.CompareAsync($"{method} {At}{key} HTTP/1.1\r\nAccept-Encoding: gzip\r\n{Last}");
        Assert.Equal(1, servers.Fast.Counters.Answered - answered);
        AssertGuarded(answer);
    }

    [Theory]
    [InlineData("xhtml", "")]
    [InlineData("large-page", "")]
    [InlineData("own", "")]
    [InlineData("zip-page", "")] // decompressed by the stack
    [InlineData("text/html", "Range: bytes=0-1\r\n")]
    [InlineData("text/html;%20charset=utf-8", "")]
    public async Task So_does_the_stack_alone(string key, string header)
    {
        long answered = servers.Fast.Counters.Answered;
        string answer = await servers.CompareAsync($"GET {At}{key} HTTP/1.1\r\n{header}{Last}");
        Assert.Equal(0, servers.Fast.Counters.Answered - answered);
        AssertGuarded(answer);
    }

    [Theory]
    [InlineData("a")]
    [InlineData("kilobyte")]
    [InlineData("most")]
    [InlineData("large")]
    [InlineData("image/png")]
    public async Task What_a_browser_does_not_run_goes_out_as_it_is(string key)
    {
        string answer = await servers.CompareAsync($"GET {At}{key} HTTP/1.1\r\n{Last}");
        Assert.StartsWith("HTTP/1.1 200", answer, StringComparison.Ordinal);
        Assert.DoesNotContain("Content-Security-Policy", answer, StringComparison.Ordinal);
        Assert.DoesNotContain("X-Content-Type-Options", answer, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("TEXT/HTML", true)]
    [InlineData("text/html ; charset=utf-8", true)]
    [InlineData("application/rss+xml", true)]
    [InlineData("multipart/x-mixed-replace; boundary=x", true)]
    [InlineData("*/*", true)]
    [InlineData("unknown/unknown", true)]
    [InlineData("Application/JSON;charset=utf-8", false)]
    [InlineData("text/plain ; charset=latin1", false)]
    public void A_type_is_known_by_its_name_whatever_its_case_and_parameters(string contentType, bool needs) =>
        Assert.Equal(needs, BrowserGuard.Needs(contentType));

    [Fact]
    public void The_longest_head_has_room()
    {
        int longest = 0;
        using PileCache cache = TestCache.Make();
        cache.GetOrCreateTable<string, byte[]>("t").PutBytes(
            "k", [], new EntryOptions { ExpiresAt = DateTimeOffset.MaxValue }, out EntryInfo put);
        for (int code = 1; code <= StoredHead.MaxTypeCode; code++)
        {
            if (MediaTypes.Find((byte)code) == null)
                continue;
            var writer = new HeadWriter(new byte[2 * AnswerHead.MaxBytes]);
            EntryInfo info = put with { Version = (1UL << 62) | ((1UL << 62) - 1), ValueBytes = int.MaxValue };
            AnswerHead.WriteOk(
                ref writer, info, new StoredHead(code, ContentCoding.Deflate, 2), ageTicks: 0, publicMaxAge: null,
                "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"u8, "Vary: Origin\r\nConnection: close\r\n\r\n"u8);
            longest = Math.Max(longest, writer.LengthBytes);
        }
        Assert.InRange(longest, AnswerHead.MaxBytes / 2, AnswerHead.MaxBytes);
    }

    private static void AssertGuarded(string answer)
    {
        Assert.StartsWith("HTTP/1.1 20", answer, StringComparison.Ordinal);
        Assert.Contains("\nContent-Security-Policy: sandbox\n", answer, StringComparison.Ordinal);
        Assert.Contains("\nX-Content-Type-Options: nosniff\n", answer, StringComparison.Ordinal);
    }
}
