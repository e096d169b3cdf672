using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Metrics;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>The same bytes to the fast path and to the full stack: answers are equal, and counters tell which one answered.</summary>
public sealed class DifferentialTests(ServerPair servers) : IClassFixture<ServerPair>
{
    private const string Last = "Host: h\r\nConnection: close\r\n\r\n";
    private const string At = "/v1/tables/t/entries/";
    private const string Get = "GET " + At + "a HTTP/1.1\r\n";

    public static TheoryData<string> AnsweredByTheFastPath =>
    [
        Get + Last,
        "HEAD " + At + "a HTTP/1.1\r\n" + Last,
        "GET " + At + "empty HTTP/1.1\r\n" + Last,
        "GET " + At + "kilobyte HTTP/1.1\r\n" + Last,
        "GET " + At + "most HTTP/1.1\r\n" + Last,
        "HEAD " + At + "most HTTP/1.1\r\n" + Last,
        "GET " + At + "a/b HTTP/1.1\r\n" + Last,
        "GET " + At + "none HTTP/1.1\r\n" + Last,
        "HEAD " + At + "none HTTP/1.1\r\n" + Last,
        "GET " + At + "none HTTP/1.1\r\nIf-None-Match: *\r\n" + Last,
        "GET " + At + "x:y;z=1,2!$&'()*+~@-._ HTTP/1.1\r\n" + Last,
        "GET " + At + "a//b HTTP/1.1\r\n" + Last,
        "GET " + At + "ages HTTP/1.1\r\n" + Last,
        "HEAD " + At + "ages HTTP/1.1\r\n" + Last,
        "GET " + At + "ages HTTP/1.1\r\nIf-None-Match: {tag:ages}\r\n" + Last,
        Get + "If-None-Match: {tag:a}\r\n" + Last,
        Get + "If-None-Match: W/{tag:a}\r\n" + Last,
        Get + "If-None-Match: *\r\n" + Last,
        Get + "If-None-Match: \"x,y\" ,  {tag:a}\r\n" + Last,
        Get + "If-None-Match: \"other\"\r\n" + Last,
        Get + "If-None-Match: rubbish\r\n" + Last,
        Get + "If-None-Match: {tag:a}, rubbish\r\n" + Last,
        "HEAD " + At + "a HTTP/1.1\r\nIf-None-Match: {tag:a}\r\n" + Last,
        "GET " + At + "zip HTTP/1.1\r\nAccept-Encoding: gzip, br\r\n" + Last,
        "GET " + At + "zip HTTP/1.1\r\nAccept-Encoding: *\r\n" + Last,
        "HEAD " + At + "zip HTTP/1.1\r\nAccept-Encoding: GZIP;q=0.5\r\n" + Last,
        "GET " + At + "zip HTTP/1.1\r\nAccept-Encoding: gzip\r\nIf-None-Match: {tag:zip}\r\n" + Last,
        Get + "Accept-Encoding: br;q=1.0, gzip;q=0.8, *;q=0.1\r\n" + Last,
        Get + "Accept: */*\r\nAccept-Language: de\r\nCookie: a=b\r\nPragma: no-cache\r\nCache-Control: no-cache\r\nReferer: x\r\n" + Last,
        Get + "User-Agent: u\r\nDNT: 1\r\ntraceparent: 00-1-2-3\r\ntracestate: a=b\r\nbaggage: a=b\r\nRequest-Id: 1\r\n" + Last,
        Get + "Authorization: Bearer x\r\n" + Last,
        Get + "X-Forwarded-For: 10.1.2.3\r\n" + Last,
        Get + "hOST: h:80\r\nCONNECTION: CLOSE\r\n\r\n",
        Get + "Host:h\r\nConnection:close\r\n\r\n",
        Get + "Host: \t h \t\r\nConnection: close\r\n\r\n",
        Get + "Host: h\r\nConnection: close\r\n\r\n" + Get + Last,
    ];

    [Fact]
    public async Task What_a_table_says_to_caches_is_said_at_both_doors()
    {
        foreach (ServedApp app in new[] { servers.Fast, servers.Plain })
            app.Table.Configure(app.Table.Options with { PublicMaxAge = TimeSpan.FromMinutes(5) });
        try
        {
            string answers = "";
            foreach (string key in new[] { "a", "ages", "zip" })
            {
                answers += await servers.CompareAsync($"GET {At}{key} HTTP/1.1\r\nAccept-Encoding: gzip\r\n{Last}");
                answers += await servers.CompareAsync(
                    $"HEAD {At}{key} HTTP/1.1\r\nAccept-Encoding: gzip\r\nIf-None-Match: {{tag:{key}}}\r\n{Last}");
            }
            Assert.Contains("public, max-age=300", answers, StringComparison.Ordinal);
            Assert.DoesNotContain("private", answers, StringComparison.Ordinal);
        }
        finally
        {
            foreach (ServedApp app in new[] { servers.Fast, servers.Plain })
                app.Table.Configure(app.Table.Options with { PublicMaxAge = null });
        }
    }

    public static TheoryData<string> LeftToTheStack =>
    [
        "GET " + At + "more HTTP/1.1\r\n" + Last,
        "HEAD " + At + "more HTTP/1.1\r\n" + Last,
        "GET " + At + "large HTTP/1.1\r\n" + Last,
        "GET " + At + "own HTTP/1.1\r\n" + Last,
        "GET " + At + "foreign HTTP/1.1\r\n" + Last,
        "GET " + At + "zip HTTP/1.1\r\n" + Last,
        "GET " + At + "zip HTTP/1.1\r\nAccept-Encoding: gzip;q=0\r\n" + Last,
        "GET " + At + "zip HTTP/1.1\r\nAccept-Encoding: br, identity;q=0\r\n" + Last,
        Get + "Accept-Encoding: identity;q=0\r\n" + Last,
        Get + "Accept-Encoding:\r\n" + Last,
        "GET " + At + "a?maxAge=3 HTTP/1.1\r\n" + Last,
        "GET " + At + "a?maxAge=x HTTP/1.1\r\n" + Last,
        "GET " + At + "a? HTTP/1.1\r\n" + Last,
        "GET " + At + "%61 HTTP/1.1\r\n" + Last,
        "GET " + At + "a%2Fb HTTP/1.1\r\n" + Last,
        "GET " + At + " HTTP/1.1\r\n" + Last,
        "GET " + At + "../a HTTP/1.1\r\n" + Last,
        "GET " + At + "x/../a HTTP/1.1\r\n" + Last,
        "GET " + At + ". HTTP/1.1\r\n" + Last,
        "GET " + At + "a\" HTTP/1.1\r\n" + Last,
        "GET " + At + "a# HTTP/1.1\r\n" + Last,
        "GET " + At + "\u00FC HTTP/1.1\r\n" + Last,
        "GET /v1/tables/nope/entries/a HTTP/1.1\r\n" + Last,
        "GET /v1/tables/../entries/a HTTP/1.1\r\n" + Last,
        "GET /v1/tables//entries/a HTTP/1.1\r\n" + Last,
        "GET /other HTTP/1.1\r\n" + Last,
        "GET http://h" + At + "a HTTP/1.1\r\n" + Last,
        "GET " + At + "a HTTP/1.0\r\nHost: h\r\n\r\n",
        "GET " + At + "a HTTP/1.0\r\n\r\n",
        "GET " + At + "a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET " + At + "a HTTP/1.0\r\n\r\n",
        "GET " + At + "a HTTP/2.0\r\n" + Last,
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "get " + At + "a HTTP/1.1\r\n" + Last,
        "OPTIONS * HTTP/1.1\r\n" + Last,
        "CONNECT h:80 HTTP/1.1\r\n" + Last,
        Get + "Range: bytes=1-2\r\n" + Last,
        Get + "If-Match: {tag:a}\r\n" + Last,
        Get + "If-Match: \"x\"\r\n" + Last,
        Get + "If-Modified-Since: Wed, 02 Jan 2030 03:04:05 GMT\r\n" + Last,
        Get + "If-None-Match: \"x\"\r\nIf-None-Match: {tag:a}\r\n" + Last,
        Get + "If-None-Match: \"" + new string('x', 80) + "\", {tag:a}\r\n" + Last,
        Get + "Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n" + Last,
        Get + "X-Unknown: 1\r\n" + Last,
        Get + "Prefer: return=minimal\r\n" + Last,
        "GET " + At + "none HTTP/1.1\r\nPrefer: return=minimal\r\n" + Last,
        Get + "Content-Length: 0\r\n" + Last,
        Get + "Content-Length: 3\r\n" + Last + "abc",
        Get + "Transfer-Encoding: chunked\r\n" + Last + "0\r\n\r\n",
        Get + "Expect: 100-continue\r\n" + Last,
        Get + "Upgrade: h2c\r\nConnection: upgrade\r\nHost: h\r\n\r\n" + Get + Last,
        Get + "Upgrade: websocket\r\nHost: h\r\nConnection: Upgrade, close\r\n\r\n",
        Get + "Connection: close, te\r\nHost: h\r\n\r\n",
        Get + "Origin: http://x\r\nTE: trailers\r\n" + Last,
        // Wrong, and refused by the stack.
        Get + "\r\n",
        Get + "Host:\r\nConnection: close\r\n\r\n",
        Get + "Host: a\r\nHost: b\r\nConnection: close\r\n\r\n",
        Get + "Host: a b\r\nConnection: close\r\n\r\n",
        Get + "Host: [::1]\r\nConnection: close\r\n\r\n",
        Get + "Foo : bar\r\n" + Last,
        Get + " folded\r\n" + Last,
        Get + "A: 1\r\n folded\r\n" + Last,
        Get + "NoColon\r\n" + Last,
        Get + ": x\r\n" + Last,
        Get + "A: \0\r\n" + Last,
        Get + "A: \u0001\r\n" + Last,
        Get + "Cookie: \u00E9\r\n" + Last,
        Get + "Cookie: a\rb\r\n" + Last,
        Get + "Content-Length: 5,5\r\n" + Last + "hello",
        Get + "Content-Length: 5\r\nContent-Length: 5\r\n" + Last + "hello",
        Get + "Content-Length: +5\r\n" + Last + "hello",
        Get + "Content-Length: -1\r\n" + Last,
        Get + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n" + Last + "0\r\n\r\n",
        Get + "Transfer-Encoding: xchunked\r\n" + Last,
        "GET " + At + "a\0 HTTP/1.1\r\n" + Last,
        "GET  " + At + "a HTTP/1.1\r\n" + Last,
        "GET " + At + "a\r\n\r\n",
        "GET " + At + "a HTTP/1.2\r\n" + Last,
        "GET " + At + "a HTTX/1.1\r\n" + Last,
        "\r\n\r\n" + Get + Last,
        "G\0T / HTTP/1.1\r\n" + Last,
        "\u0016\u0003\u0001\u0002\0\r\n\r\n",
        Get.Replace("\r\n", "\n", StringComparison.Ordinal) + "Host: h\nConnection: close\n\n",
        Get + "Host: h\n\nGET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        Get + string.Concat(Enumerable.Range(0, 40).Select(static i => $"Cookie: c{i}\r\n")) + Last,
        Get + string.Concat(Enumerable.Range(0, 150).Select(static i => $"Cookie: c{i}\r\n")) + Last,
        Get + "Cookie: " + new string('c', 9_000) + "\r\n" + Last,
        Get + "Cookie: " + new string('c', 64_000) + "\r\n" + Last,
        "GET " + At + new string('k', 1_025) + " HTTP/1.1\r\n" + Last,
        "GET " + At + new string('k', 10_000) + " HTTP/1.1\r\n" + Last,
        "GET " + At + new string('k', 1_024) + "%20 HTTP/1.1\r\n" + Last,
    ];

    [Theory]
    [MemberData(nameof(AnsweredByTheFastPath))]
    public async Task The_door_answers_as_the_stack_does(string sent)
    {
        FastPathCounters counters = servers.Fast.Counters;
        (long answered, long handed) = (counters.Answered, counters.HandedOver);
        await servers.CompareAsync(sent);
        Assert.Equal((1, 0), (counters.Answered - answered, counters.HandedOver - handed));
    }

    [Theory]
    [MemberData(nameof(LeftToTheStack))]
    public async Task What_the_door_does_not_know_is_answered_by_the_stack(string sent)
    {
        long answered = servers.Fast.Counters.Answered;
        await servers.CompareAsync(sent);
        Assert.Equal(0, servers.Fast.Counters.Answered - answered);
    }

    [Fact]
    public async Task Requests_in_one_segment_are_answered_in_their_order_by_both_doors()
    {
        FastPathCounters counters = servers.Fast.Counters;
        (long answered, long handed, long returned) = (counters.Answered, counters.HandedOver, counters.Returned);
        const string keepOpen = "Host: h\r\n\r\n";
        string answers = await servers.CompareAsync(
            Get + keepOpen + "GET " + At + "none HTTP/1.1\r\n" + keepOpen
            + "PUT " + At + "w HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello"
            + "GET " + At + "w HTTP/1.1\r\n" + keepOpen
            + Get + "Range: bytes=0-1\r\n" + keepOpen
            + "HEAD " + At + "kilobyte HTTP/1.1\r\n" + keepOpen
            + "POST /read HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxx"
            + Get + Last);
        Assert.Contains("[hello]", answers, StringComparison.Ordinal);
        Assert.Equal((5, 3, 3), (counters.Answered - answered, counters.HandedOver - handed, counters.Returned - returned));
    }

    [Fact]
    public async Task A_head_may_come_in_pieces()
    {
        const string sent = Get + "Accept: */*\r\n" + Last;
        for (int cut = 1; cut < sent.Length; cut += 3)
            await servers.CompareAsync(sent, cut);
        await servers.CompareAsync(sent, 10, 20, 30, 40, 50, 60);
    }

    [Fact]
    public async Task A_thousand_requests_at_once_are_all_answered()
    {
        string sent = string.Concat(Enumerable.Repeat("GET " + At + "kilobyte HTTP/1.1\r\nHost: h\r\nUser-Agent: test\r\n\r\n", 1_000))
            + Get + Last;
        long answered = servers.Fast.Counters.Answered;
        await servers.CompareAsync(sent);
        Assert.Equal(1_001, servers.Fast.Counters.Answered - answered);
    }

    [Fact]
    public async Task A_body_that_nobody_reads_is_not_taken_for_requests()
    {
        string inner = Get + "Host: smuggled\r\n\r\n";
        string sent = $"PUT /unread HTTP/1.1\r\nHost: h\r\nContent-Length: {inner.Length}\r\n\r\n{inner}" + Get + Last;
        string answers = await servers.CompareAsync(sent);
        Assert.Equal(2, answers.Split("HTTP/1.1 200").Length - 1);
        Assert.Contains("answer of the application to /unread", answers, StringComparison.Ordinal);
        string chunked = "PUT /unread HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + $"{inner.Length:x}\r\n{inner}\r\n0\r\n\r\n" + Get + Last;
        Assert.Equal(2, (await servers.CompareAsync(chunked)).Split("HTTP/1.1 200").Length - 1);
    }

    [Fact]
    public async Task An_application_that_fails_leaves_the_connection_usable()
    {
        string sent = Get + "Host: h\r\n\r\nGET /fail HTTP/1.1\r\nHost: h\r\n\r\n" + Get + Last;
        Assert.Contains("HTTP/1.1 500", await servers.CompareAsync(sent), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_waits_keeps_its_place_in_front_of_one_that_is_fast()
    {
        using RawClient client = await RawClient.ConnectAsync(servers.Fast.Port);
        await client.SendAsync("PUT /block/order HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc" + Get + Last);
        await Eventually.TrueAsync(() => servers.Fast.Blocks.ContainsKey("order"));
        long answered = servers.Fast.Counters.Answered;
        // A second connection is served meanwhile, so the first could have been.
        await RawClient.ExchangeAsync(servers.Fast.Port, Get + Last);
        Assert.Equal(answered + 1, servers.Fast.Counters.Answered);
        servers.Fast.Blocks["order"].SetResult();
        string answers = Encoding.Latin1.GetString(await client.ReadToEndAsync());
        int first = answers.IndexOf("/block/order", StringComparison.Ordinal);
        Assert.InRange(first, 0, answers.IndexOf("{\"a\":1}", StringComparison.Ordinal));
        Assert.Equal(answered + 2, servers.Fast.Counters.Answered);
    }
}
