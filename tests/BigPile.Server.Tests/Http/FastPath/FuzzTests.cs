using System;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using BigPile.Http.Metrics;
using Xunit.Abstractions;

namespace BigPile.Server.Tests.Http.FastPath;

/// <summary>Random bytes to the fast path and to the full stack.</summary>
public sealed class FuzzTests(ServerPair servers, ITestOutputHelper output) : IClassFixture<ServerPair>
{
    private const string Last = "GET /v1/tables/t/entries/a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

    private static readonly string[] Keys =
        ["a", "empty", "kilobyte", "most", "more", "own", "zip", "ages", "a/b", "none", "foreign", "large"];

    private static readonly string[] Headers =
    [
        "Accept: */*", "Accept-Encoding: gzip", "Accept-Encoding: br;q=0.5, *", "User-Agent: u", "If-None-Match: {tag:a}",
        "If-None-Match: W/{tag:kilobyte}, \"x\"", "If-None-Match: *", "Connection: keep-alive", "Cookie: a=b", "Range: bytes=1-3",
        "If-Match: *", "X-Other: 1", "Prefer: return=minimal", "Cache-Control: no-cache", "X-Forwarded-For: 1.2.3.4",
    ];

    // Headers whose text differs between piles, and those that the fast path leaves to the stack.
    private static readonly string[] Elsewhere = ["{tag", "Range", "If-Match", "X-Other", "Prefer"];

    [Fact]
    public async Task Heads_with_one_byte_changed_get_the_same_from_both_doors()
    {
        int seed = TestLeg.Seed(71);
        output.WriteLine($"Seed {seed}");
        var random = new Random(seed);
        long answered = servers.Fast.Counters.Answered;
        int steps = TestLeg.Steps(400, 20_000);
        for (int i = 0; i < steps; i++)
        {
            string head = Request(random, isPlain: true);
            await servers.CompareAsync(Mutate(random, head) + Last);
        }
        long fast = servers.Fast.Counters.Answered - answered;
        output.WriteLine($"{fast} of about {2 * steps} answered by the fast path");
        Assert.InRange(fast, steps / 2, 2L * steps); // after an invalid head its connection stays with the stack
    }

    [Fact]
    public async Task Pipelines_get_the_same_from_both_doors()
    {
        int seed = TestLeg.Seed(72);
        output.WriteLine($"Seed {seed}");
        var random = new Random(seed);
        FastPathCounters counters = servers.Fast.Counters;
        (long answered, long returned) = (counters.Answered, counters.Returned);
        int steps = TestLeg.Steps(150, 5_000);
        for (int i = 0; i < steps; i++)
        {
            var sent = new StringBuilder();
            for (int count = random.Next(2, 25); count > 0; count--)
                sent.Append(random.Next(5) == 0 ? Change(random) : Request(random, isPlain: false));
            string all = sent.Append(Last).ToString();
            await servers.CompareAsync(all, Cuts(random, Math.Min(all.Length, 400)));
        }
        output.WriteLine($"{counters.Answered - answered} answered by the fast path, {counters.Returned - returned} returns");
        Assert.InRange(counters.Answered - answered, steps * 3, long.MaxValue);
        Assert.InRange(counters.Returned - returned, steps, long.MaxValue);
    }

    private static string Request(Random random, bool isPlain)
    {
        var text = new StringBuilder(random.Next(6) == 0 ? "HEAD" : "GET")
            .Append(" /v1/tables/t/entries/").Append(
                Keys[random.Next(random.Next(3) == 0 && !isPlain ? Keys.Length : 3)]).Append(" HTTP/1.1\r\nHost: h\r\n");
        foreach (string header in Headers.Where(_ => random.Next(12) == 0))
        {
            if (!isPlain || !Elsewhere.Any(header.Contains))
                text.Append(header).Append("\r\n");
        }
        return text.Append("\r\n").ToString();
    }

    private static string Change(Random random)
    {
        string body = new('b', random.Next(40));
        return random.Next(4) switch
        {
            0 => $"PUT /v1/tables/t/entries/w{random.Next(3)} HTTP/1.1\r\nHost: h\r\nContent-Length: {body.Length}\r\n\r\n{body}",
            1 => $"DELETE /v1/tables/t/entries/w{random.Next(3)} HTTP/1.1\r\nHost: h\r\n\r\n",
            2 => $"POST /unread HTTP/1.1\r\nHost: h\r\nContent-Length: {body.Length}\r\n\r\n{body}",
            _ => $"POST /read HTTP/1.1\r\nHost: h\r\nContent-Length: {body.Length}\r\n\r\n{body}",
        };
    }

    private static string Mutate(Random random, string head)
    {
        int at = random.Next(head.Length);
        char other = random.Next(2) == 0 ? (char)random.Next(256) : (char)random.Next(' ', 127);
        return random.Next(3) switch
        {
            0 => head[..at] + other + head[(at + 1)..],
            1 => head.Remove(at, 1),
            _ => head.Insert(at, other.ToString()),
        };
    }

    private static int[] Cuts(Random random, int lengthBytes) =>
        [.. Enumerable.Range(0, random.Next(4)).Select(_ => random.Next(1, lengthBytes)).Distinct().Order()];
}
