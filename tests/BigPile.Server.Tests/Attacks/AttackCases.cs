using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading.Tasks;

namespace BigPile.Server.Tests.Attacks;

/// <summary>The attack inputs.</summary>
internal static class AttackCases
{
    private const string Entries = "/v1/tables/t/entries/";
    private const string Host = "Host: localhost\r\n";

    // A request of an attacker that rides on another one. If it is ever answered by itself, its 405 shows.
    private const string Smuggled = "DELETE /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

    internal static IEnumerable<AttackCase> All() =>
        [.. Paths(), .. Lines(), .. Heads(), .. Smuggling(), .. Bodies(), .. Batches(), .. Connections()];

    private static IEnumerable<AttackCase> Paths() =>
    [
        AttackCase.Target("key ..", "400", Entries + ".."),
        AttackCase.Target("key ../../../health/live", "400", Entries + "../../../health/live"),
        AttackCase.Target("key %2e%2e", "400", Entries + "%2e%2e"),
        AttackCase.Target("key a/%2E%2e/b", "400", Entries + "a/%2E%2e/b"),
        AttackCase.Target("key %252e%252e, encoded twice: a key of its own", "404", Entries + "%252e%252e"),
        AttackCase.Target("key a%252Fb, encoded twice: a key of its own", "404", Entries + "a%252Fb"),
        AttackCase.Target("key with %00", "400", Entries + "a%00b"),
        AttackCase.Target("key with a raw NUL", "400", Entries + "a\0b"),
        AttackCase.Target("overlong UTF-8 %C0%AF", "400", Entries + "%C0%AF"),
        AttackCase.Target("overlong UTF-8 %E0%80%AF", "400", Entries + "%E0%80%AF"),
        AttackCase.Target("surrogate in UTF-8 %ED%A0%80", "400", Entries + "%ED%A0%80"),
        AttackCase.Target("beyond Unicode %F5%80%80%80", "400", Entries + "%F5%80%80%80"),
        AttackCase.Target("half an escape %", "400", Entries + "a%"),
        AttackCase.Target("half an escape %4", "400", Entries + "a%4"),
        AttackCase.Target("no escape %zz", "400", Entries + "%zz"),
        AttackCase.Target("raw byte 0xFF", "400", Entries + "\u00ff"),
        AttackCase.Target("empty key", "400", Entries),
        AttackCase.Target("key of 1,025 bytes", "400", Entries + new string('k', 1_025)),
        AttackCase.Target("key of 1,025 encoded bytes", "400", Entries + string.Concat(Enumerable.Repeat("%6B", 1_025))),
        AttackCase.Target("table %2e%2e", "400", "/v1/tables/%2e%2e/entries/k"),
        AttackCase.Target("table with %2F", "400", "/v1/tables/a%2Fb/entries/k"),
        AttackCase.Target("table with %00", "400", "/v1/tables/a%00/entries/k"),
        AttackCase.Target("table of 129 characters", "400", $"/v1/tables/{new string('t', 129)}/entries/k"),
        AttackCase.Target("/../../etc/passwd", "404", "/../../etc/passwd"),
        AttackCase.Target("/%2e%2e/%2e%2e/etc/passwd", "404", "/%2e%2e/%2e%2e/etc/passwd"),
        AttackCase.Target("backslashes \\..\\..", "404", "/..\\..\\appsettings.json"),
        AttackCase.Target("absolute form, same host", "404", "http://localhost" + Entries + "none"),
        AttackCase.Target("absolute form, other host", "400", "http://other" + Entries + "none"),
        AttackCase.Target("absolute form, other scheme", "200|400", "ftp://localhost/health/live"),
        AttackCase.Target("authority form", "405|400", "x:80"),
        AttackCase.Target("asterisk form with GET", "405|400", "*"),
        AttackCase.Of("asterisk form with OPTIONS", "405", $"OPTIONS * HTTP/1.1\r\n{Host}Connection: close\r\n\r\n"),
        AttackCase.Of("CONNECT", "400", $"CONNECT x:80 HTTP/1.1\r\n{Host}Connection: close\r\n\r\n"),
        AttackCase.Target("no slash", "400", "health/live"),
    ];

    private static IEnumerable<AttackCase> Lines() =>
    [
        AttackCase.Of("HTTP/0.9", "400", "GET /health/live\r\n\r\n"),
        AttackCase.Of("HTTP/2.0 in the line", "505|closed", $"GET /health/live HTTP/2.0\r\n{Host}\r\n"),
        AttackCase.Of("HTTP/1.2", "505", $"GET /health/live HTTP/1.2\r\n{Host}\r\n"),
        AttackCase.Of("http/1.1 in small letters", "505", $"GET /health/live http/1.1\r\n{Host}\r\n"),
        AttackCase.Of("method that nobody has", "405", $"BREW /health/live HTTP/1.1\r\n{Host}Connection: close\r\n\r\n"),
        AttackCase.Of("method TRACE", "405", $"TRACE /health/live HTTP/1.1\r\n{Host}Connection: close\r\n\r\n"),
        AttackCase.Of(
            "method of 5,000 letters", "405|414", $"{new string('A', 5_000)} /health/live HTTP/1.1\r\n{Host}Connection: close\r\n\r\n"),
        AttackCase.Of("method with a control byte", "400", $"G\u0001T / HTTP/1.1\r\n{Host}\r\n"),
        AttackCase.Of("two spaces in the line", "400", $"GET  /health/live HTTP/1.1\r\n{Host}\r\n"),
        AttackCase.Of("request line of 9 KB", "414", $"GET /{new string('x', 9_000)} HTTP/1.1\r\n{Host}\r\n"),
        AttackCase.Of("request line without end, 1 MB", "414", "GET /" + new string('x', 1 << 20)),
        AttackCase.Of(
            "TLS to a plain port", "400", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003" + new string('\u00aa', 200)),
        AttackCase.Of("HTTP/2 by prior knowledge", "closed", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        AttackCase.Of("noise", "400", new string('\u0007', 500) + "\r\n\r\n"),
        AttackCase.Ended("nothing at all", "closed", ""),
    ];

    private static IEnumerable<AttackCase> Heads() =>
    [
        AttackCase.Of("no Host", "400", "GET /health/live HTTP/1.1\r\n\r\n"),
        AttackCase.Of("two Hosts", "400", "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        AttackCase.Of("Host with a path", "400", "GET /health/live HTTP/1.1\r\nHost: x/../y\r\n\r\n"),
        AttackCase.Of("200 headers", "431", $"GET /health/live HTTP/1.1\r\n{Host}{Headers(200, 5)}\r\n"),
        AttackCase.Of("50 headers of 1 KB", "431", $"GET /health/live HTTP/1.1\r\n{Host}{Headers(50, 1_000)}\r\n"),
        AttackCase.Of("one header of 1 MB", "431", $"GET /health/live HTTP/1.1\r\n{Host}A: {new string('a', 1 << 20)}\r\n\r\n"),
        AttackCase.Of("header name with a space", "400", $"GET /health/live HTTP/1.1\r\n{Host}Bad Name: 1\r\n\r\n"),
        AttackCase.Of("space before the colon", "400", $"GET /health/live HTTP/1.1\r\n{Host}Content-Length : 5\r\n\r\n"),
        AttackCase.Of("folded header", "400", $"GET /health/live HTTP/1.1\r\n{Host}A: 1\r\n 2\r\n\r\n"),
        AttackCase.Of("NUL in a header", "400", $"GET /health/live HTTP/1.1\r\n{Host}A: a\0b\r\n\r\n"),
        AttackCase.Of("bare CR in a header", "400", $"GET /health/live HTTP/1.1\r\n{Host}A: a\rB: b\r\n\r\n"),
        AttackCase.Of("header without a colon", "400", $"GET /health/live HTTP/1.1\r\n{Host}nothing\r\n\r\n"),
        AttackCase.Of("request to upgrade to a websocket", "200",
            $"GET /health/live HTTP/1.1\r\n{Host}Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n"),
    ];

    private static IEnumerable<AttackCase> Smuggling() =>
    [
        AttackCase.Of("CL and TE, a request inside", "400", Put(
            "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("two CL, different", "400", Put("Content-Length: 2\r\nContent-Length: 4\r\n", "ab" + Smuggled)),
        AttackCase.Of("two CL, equal", "400", Put("Content-Length: 2\r\nContent-Length: 2\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL 2,2", "400", Put("Content-Length: 2,2\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL -1", "400", Put("Content-Length: -1\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL +2", "400", Put("Content-Length: +2\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL 2 with a dot", "400", Put("Content-Length: 2.\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL +2 behind a body of chunks", "201 400|204 400", Put("Transfer-Encoding: chunked\r\n", "2\r\nab\r\n0\r\n\r\n")
            + Put("Content-Length: +2\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL 0x2", "400", Put("Content-Length: 0x2\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL beyond 64 bits", "400", Put("Content-Length: 99999999999999999999\r\n", "ab" + Smuggled)),
        AttackCase.Of("CL of 8 EB, nothing sent", "413", Put("Content-Length: 9223372036854775807\r\n", "")),
        AttackCase.Of("TE xchunked", "400", Put("Transfer-Encoding: xchunked\r\n", "2\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("TE chunked, identity", "400", Put("Transfer-Encoding: chunked, identity\r\n", "2\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("TE gzip, chunked", "501", Put("Transfer-Encoding: gzip, chunked\r\n", "2\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of(
            "two TE lines, chunked and x", "400", Put("Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n", "0\r\n\r\n" + Smuggled)),
        AttackCase.Of("TE with a tab before the colon", "400", Put("Transfer-Encoding\t: chunked\r\n", "0\r\n\r\n" + Smuggled)),
        AttackCase.Of("chunk size zz", "400", Put("Transfer-Encoding: chunked\r\n", "zz\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("chunk size -2", "400", Put("Transfer-Encoding: chunked\r\n", "-2\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("chunk size beyond 32 bits", "400|413", Put(
            "Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("chunk shorter than its size", "400", Put("Transfer-Encoding: chunked\r\n", "5\r\nab\r\n0\r\n\r\n" + Smuggled)),
        AttackCase.Of("chunk without CRLF", "400", Put("Transfer-Encoding: chunked\r\n", "2\r\nabXX0\r\n\r\n" + Smuggled)),
        AttackCase.Of(
            "chunk extension without end, 1 MB", "400|413", Put("Transfer-Encoding: chunked\r\n", "2;" + new string('x', 1 << 20))),
        AttackCase.Of("GET with a body that looks like a request", "200",
            $"GET /health/live HTTP/1.1\r\n{Host}Content-Length: {Smuggled.Length}\r\nConnection: close\r\n\r\n{Smuggled}"),
        AttackCase.Of("PUT with TE in HTTP/1.0", "400",
            $"PUT {Entries}s HTTP/1.0\r\n{Host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{Smuggled}"),
    ];

    private static IEnumerable<AttackCase> Bodies() =>
    [
        AttackCase.Of("body of one byte above the limit", "413", Put($"Content-Length: {AttackTests.MaxBodyBytes + 1}\r\n", "")),
        AttackCase.Of(
            "chunked body above the limit", "413", Put("Transfer-Encoding: chunked\r\n", Chunks(AttackTests.MaxBodyBytes + 65_536))),
        AttackCase.Ended("body cut off in the middle", "closed|400", Put("Content-Length: 1000\r\n", "half")),
        AttackCase.Of("Content-Type of 300 characters", "415", Put(
            $"Connection: close\r\nContent-Length: 1\r\nContent-Type: a/{new string('b', 300)}\r\n", "x")),
        AttackCase.Of("Content-Type with quotes left open", "415", Put(
            "Connection: close\r\nContent-Length: 1\r\nContent-Type: text/html; charset=\"\r\n", "x")),
        AttackCase.Of("Content-Encoding that nobody knows", "415|400", Put(
            "Connection: close\r\nContent-Length: 1\r\nContent-Encoding: bomb\r\n", "x")),
        new AttackCase("gzip bomb, 100 MB in 100 KB", "413", port => SendBombAsync(port, Bombs.Gzip())),
        new AttackCase("brotli bomb, 100 MB in some bytes", "413", port => SendBombAsync(port, Bombs.Brotli(), "br")),
        new AttackCase("gzip in gzip in gzip", "415", port => SendBombAsync(port, Bombs.Nested(), "gzip, gzip, gzip")),
        new AttackCase("gzip that is none", "400", port => SendBombAsync(port, Encoding.ASCII.GetBytes("this is no gzip"))),
    ];

    private static IEnumerable<AttackCase> Batches() =>
    [
        AttackCase.Of(
            "mget of 100,000 keys", "413", Post(":mget", $"{{\"keys\":[{string.Join(',', Enumerable.Repeat("\"k\"", 100_000))}]}}")),
        AttackCase.Of("mget of a key of 1 MB", "413|400", Post(":mget", $"{{\"keys\":[\"{new string('k', 1 << 20)}\"]}}")),
        AttackCase.Of("mget of 100,000 brackets", "400", Post(":mget", new string('[', 100_000))),
        AttackCase.Of("mget of half a document", "400", Post(":mget", "{\"keys\":[\"a\"")),
        AttackCase.Of(
            "mdelete of 100,000 keys", "413", Post(":mdelete", $"{{\"keys\":[{string.Join(',', Enumerable.Repeat("\"k\"", 100_000))}]}}")),
        AttackCase.Of(
            "evict of 100,000 tags", "413", Post(":evict", $"{{\"tags\":[{string.Join(',', Enumerable.Repeat("\"k\"", 100_000))}]}}")),
    ];

    private static IEnumerable<AttackCase> Connections() =>
    [
        new AttackCase("half a head, then the end", "closed|400", static async port =>
        {
            using RawConnection connection = await RawConnection.OpenAsync(port);
            await connection.SendAsync("GET /health/live HTTP/1.1\r\nHo");
            connection.EndSending();
            return await connection.ReadToEndAsync();
        }),
        new AttackCase("head that never ends (slow head)", "408", static async port =>
        {
            using RawConnection connection = await RawConnection.OpenAsync(port);
            await connection.SendAsync("GET /health/live HTTP/1.1\r\nHost: localhost\r\nA: ");
            return await connection.ReadToEndAsync();
        }),
        new AttackCase("body that does not come (slow body)", "408|400", static async port =>
        {
            using RawConnection connection = await RawConnection.OpenAsync(port);
            await connection.SendAsync(Put("Content-Length: 100000\r\n", "a"));
            return await connection.ReadToEndAsync();
        }),
        new AttackCase("upload aborted by a reset", "closed", static async port =>
        {
            using RawConnection connection = await RawConnection.OpenAsync(port);
            await connection.SendAsync(Put("Content-Length: 1000\r\n", "half"));
            connection.Abort();
            return "";
        }),
        new AttackCase("500 connections that say nothing", "closed", static async port =>
        {
            RawConnection[] all = await Task.WhenAll(Enumerable.Range(0, 500).Select(_ => RawConnection.OpenAsync(port)));
            foreach (RawConnection connection in all)
                connection.Dispose();
            return "";
        }),
        new AttackCase(
            "1,000 requests in one piece, read in one piece", string.Join(' ', Enumerable.Repeat("404", 1_000)), static async port =>
        {
            using RawConnection connection = await RawConnection.OpenAsync(port);
            string one = $"GET {Entries}none HTTP/1.1\r\n{Host}\r\n";
            string last = $"GET {Entries}none HTTP/1.1\r\n{Host}Connection: close\r\n\r\n";
            await connection.SendAsync(string.Concat(Enumerable.Repeat(one, 999)) + last);
            return await connection.ReadToEndAsync();
        }),
    ];

    private static async Task<string> SendBombAsync(int port, byte[] body, string coding = "gzip")
    {
        using RawConnection connection = await RawConnection.OpenAsync(port);
        await connection.SendAsync(Put($"Content-Length: {body.Length}\r\nContent-Encoding: {coding}\r\nConnection: close\r\n", ""));
        await connection.SendAsync(body);
        return await connection.ReadToEndAsync();
    }

    private static string Put(string headers, string body) => $"PUT {Entries}hostile HTTP/1.1\r\n{Host}{headers}\r\n{body}";

    private static string Post(string verb, string body) =>
        $"POST /v1/tables/t{verb} HTTP/1.1\r\n{Host}Content-Type: application/json\r\nContent-Length: {body.Length}\r\nConnection: "
        + $"close\r\n\r\n{body}";

    private static string Headers(int count, int valueLength) =>
        string.Concat(Enumerable.Range(0, count).Select(i => $"X-{i}: {new string('v', valueLength)}\r\n"));

    private static string Chunks(int bytes)
    {
        string chunk = $"8000\r\n{new string('c', 0x8000)}\r\n";
        return string.Concat(Enumerable.Repeat(chunk, (bytes + 0x7FFF) / 0x8000)) + "0\r\n\r\n";
    }
}
