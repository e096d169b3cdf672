using System;
using System.Collections.Generic;
using System.IO;
using System.IO.Compression;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Limits;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Attacks;

/// <summary>What keeps a processor busy for long takes turns, and everything else passes by.</summary>
public sealed class ExpensiveWorkTests : ServerTest
{
    private static readonly byte[] Bomb = Brotli(new byte[ExpensiveWork.SmallBytes + 1]);
    private static readonly string LongText = new('x', ExpensiveWork.SmallBytes);

    private readonly Dictionary<string, (string Method, string Path, byte[] Body, string Coding)> _expensive = new()
    {
        ["put"] = ("PUT", "/entries/k", Bomb, "br"),
        ["create"] = ("POST", "/entries/k", Bomb, "br"),
        ["batch"] = ("POST", ":mset", Json("""{"items":[{"key":"k","encoding":"br","base64":"*"}]}"""), ""),
        ["escaped"] = ("POST", ":mset", Json("""{"items":[{"key":"k","\u0065ncoding":"br","base64":"*"}]}"""), ""),
        ["long"] = ("POST", ":mset", Encoding.UTF8.GetBytes($$"""{"items":[{"key":"k","text":"{{LongText}}"}]}"""), ""),
        ["load"] = ("POST", ":load", "{\"key\":\"k\",\"text\":\"x\"}\n"u8.ToArray(), ""),
    };

    private ExpensiveWork Work => Server.Service<ExpensiveWork>();

    private CacheTable<string, byte[]> Table => Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");

    [Theory]
    [InlineData("put")]
    [InlineData("create")]
    [InlineData("batch")]
    [InlineData("escaped")]
    [InlineData("long")]
    [InlineData("load")]
    public async Task What_is_dear_waits_for_its_turn(string name)
    {
        int most = Work.FreeTurns;
        Assert.InRange(most, 1, Math.Max(1, Environment.ProcessorCount - 1));
        List<WorkTurn> turns = await TakeAllAsync();
        Task<HttpResponseMessage> sent = SendAsync(name);
        await Eventually.TrueAsync(() => Work.WaitingCount != 0 || sent.IsCompleted);
        Assert.Equal((1, false), (Work.WaitingCount, sent.IsCompleted));
        Assert.False(Table.TryGet("k", out _));
        turns.ForEach(static turn => turn.Dispose());
        (await sent).EnsureSuccessStatusCode();
        Assert.True(Table.TryGet("k", out _));
        await Eventually.TrueAsync(() => Work.FreeTurns == most);
    }

    [Fact]
    public async Task What_is_small_passes_by()
    {
        List<WorkTurn> turns = await TakeAllAsync();
        byte[] coded = Brotli(new byte[ExpensiveWork.SmallBytes]);
        (await Server.SendAsync("PUT", "/v1/tables/t/entries/k", coded, ("Content-Encoding", "br"))).EnsureSuccessStatusCode();
        (await Server.PutAsync("/v1/tables/t/entries/plain", new byte[2 * ExpensiveWork.SmallBytes])).EnsureSuccessStatusCode();
        (await Server.SendAsync("POST", "/v1/tables/t:mset", """{"items":[{"key":"b","text":"x"}]}"""u8.ToArray()))
            .EnsureSuccessStatusCode();
        (await Server.SendAsync("POST", "/v1/tables/t:mget", """{"keys":["k","plain"]}"""u8.ToArray())).EnsureSuccessStatusCode();
        Assert.Equal("x", await Client.GetStringAsync("/v1/tables/t/entries/b"));
        HttpResponseMessage damaged = await Server.SendAsync("PUT", "/v1/tables/t/entries/k", [1, 2, 3], ("Content-Encoding", "gzip"));
        await ProblemAsync(damaged, HttpStatusCode.BadRequest, "content_encoding_invalid");
        turns.ForEach(static turn => turn.Dispose());
    }

    [Fact]
    public async Task A_client_that_goes_waits_no_more()
    {
        int most = Work.FreeTurns;
        List<WorkTurn> turns = await TakeAllAsync();
        using (RawConnection connection = await RawConnection.OpenAsync(Server.Address.Port))
        {
            await connection.SendAsync(
                $"PUT /v1/tables/t/entries/k HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: br\r\nContent-Length: {Bomb.Length}\r\n\r\n");
            await connection.SendAsync(Bomb);
            await Eventually.TrueAsync(() => Work.WaitingCount != 0);
            connection.Abort();
        }
        await Eventually.TrueAsync(() => Work.WaitingCount == 0);
        turns.ForEach(static turn => turn.Dispose());
        Assert.Equal(most, Work.FreeTurns);
        Assert.False(Table.TryGet("k", out _));
    }

    [Fact]
    public async Task A_load_has_no_turn_while_it_waits_for_its_client()
    {
        int most = Work.FreeTurns;
        using RawConnection connection = await RawConnection.OpenAsync(Server.Address.Port);
        await connection.SendAsync(
            "POST /v1/tables/t:load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{\"key\":\"k\",\"text\":\"x\"}\n");
        await Eventually.TrueAsync(() => Table.TryGet("k", out _) && Work.FreeTurns == most);
    }

    private async Task<List<WorkTurn>> TakeAllAsync()
    {
        var turns = new List<WorkTurn>();
        while (Work.FreeTurns != 0)
            turns.Add(await Work.EnterAsync(default));
        return turns;
    }

    private Task<HttpResponseMessage> SendAsync(string name)
    {
        (string method, string path, byte[] body, string coding) = _expensive[name];
        return coding.Length == 0
            ? Server.SendAsync(method, "/v1/tables/t" + path, body)
            : Server.SendAsync(method, "/v1/tables/t" + path, body, ("Content-Encoding", coding));
    }

    private static byte[] Json(string text) =>
        Encoding.UTF8.GetBytes(text.Replace("*", Convert.ToBase64String(Bomb), StringComparison.Ordinal));

    private static byte[] Brotli(byte[] plain)
    {
        using var target = new MemoryStream();
        using (var brotli = new BrotliStream(target, CompressionLevel.Fastest, leaveOpen: true))
            brotli.Write(plain);
        return target.ToArray();
    }
}
