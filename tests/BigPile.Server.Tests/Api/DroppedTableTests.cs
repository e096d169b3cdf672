using System;
using System.Buffers;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Http.Entries;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Attacks;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

/// <summary>A table is dropped while requests have it in their hands.</summary>
public sealed class DroppedTableTests : ServerTest
{
    [Fact]
    public async Task What_a_dropped_table_throws_is_that_there_is_none_and_a_closed_pile_is_another_thing()
    {
        PileCache cache = Server.Service<PileCache>();
        CacheTable<string, byte[]> table = cache.GetOrCreateTable<string, byte[]>("t");
        table.Put("k", [1]);
        Assert.True(cache.DropTable("t"));
        Exception dropped = Assert.ThrowsAny<ObjectDisposedException>(() => table.TryGet("k", out _));
        Assert.Equal("table_not_found", ProblemMapper.FromException(dropped, 0)!.Code);
        CacheTable<string, byte[]> other = cache.GetOrCreateTable<string, byte[]>("o");
        await Server.StopAsync();
        Exception closed = Assert.ThrowsAny<ObjectDisposedException>(() => other.TryGet("k", out _));
        Assert.Equal("not_ready", ProblemMapper.FromException(closed, 0)!.Code);
    }

    [Fact]
    public async Task A_load_into_it_ends_with_the_word_that_there_is_none()
    {
        const string Lines = "{\"key\":\"a\",\"value\":1}\n{\"key\":\"b\",\"value\":1}\n";
        using RawConnection client = await RawConnection.OpenAsync(Server.Address.Port);
        await client.SendAsync("POST /v1/tables/t:load HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "
            + $"{2 * Lines.Length}\r\n\r\n{Lines}");
        await Eventually.TrueAsync(
            () => Server.Service<PileCache>().TryGetTable("t", out CacheTable<string, byte[]>? table) && table.Count == 2);
        Assert.Equal(HttpStatusCode.NoContent, (await Client.DeleteAsync("/v1/tables/t")).StatusCode);
        await client.SendAsync(Lines);
        string answer = await client.ReadToEndAsync();
        Assert.Equal(("404", "table_not_found"), (AttackCase.StatusesOf(answer), AttackCase.CodeOf(answer)));
        Assert.Contains("2 records were loaded before that, and went with it.", answer, StringComparison.Ordinal);
        Assert.Equal(OperationState.Failed, Server.Service<OperationStore>().All[0].State);
    }

    [Fact]
    public async Task An_export_of_it_fails_and_is_cut_off()
    {
        var value = new ArrayBufferWriter<byte>();
        StoredValue.WriteHead(value, "text/plain");
        value.Write(new byte[32_000]);
        CacheTable<string, byte[]> table = Server.Service<PileCache>().GetOrCreateTable<string, byte[]>("t");
        for (int i = 0; i < 1_000; i++)
            table.Put("k" + i, value.WrittenSpan.ToArray());
        using RawConnection client = await RawConnection.OpenAsync(Server.Address.Port);
        await client.SendAsync("GET /v1/tables/t:export HTTP/1.1\r\nHost: localhost\r\n\r\n");
        OperationStore operations = Server.Service<OperationStore>();
        await Eventually.TrueAsync(
            () => operations.All.Any(static operation => operation.Describe()["progress"]?["entries"]?.GetValue<long>() > 0));
        Assert.Equal(HttpStatusCode.NoContent, (await Client.DeleteAsync("/v1/tables/t")).StatusCode);
        string answer = "";
        try
        {
            answer = await client.ReadToEndAsync();
        }
        catch (IOException)
        {
            // cut off: the reader does not return what came before
        }
        await Eventually.TrueAsync(() => operations.All[0].State != OperationState.Running);
        Assert.DoesNotContain("\"bigpile\":\"end\"", answer, StringComparison.Ordinal);
        Assert.Equal("table_not_found", operations.All[0].Describe()["error"]?["code"]?.GetValue<string>());
    }

    [Fact]
    public async Task Puts_and_drops_in_turn_are_answered_as_if_one_came_behind_the_other()
    {
        Task[] clients =
        [
            .. Enumerable.Range(0, 4).Select(number => Task.Run(async () =>
            {
                for (int i = 0; i < TestLeg.Steps(30, 1_000); i++)
                {
                    using HttpResponseMessage put = await Server.PutAsync("/v1/tables/t/entries/" + number, new byte[10_000]);
                    Assert.Contains(put.StatusCode, new[] { HttpStatusCode.Created, HttpStatusCode.NoContent });
                    using HttpResponseMessage read = await Client.GetAsync("/v1/tables/t/entries/" + number + "?maxAge=1000");
                    Assert.Contains(read.StatusCode, new[] { HttpStatusCode.OK, HttpStatusCode.NotFound });
                    using HttpResponseMessage got = await Client.PostAsync(
                        "/v1/tables/t:mget", new StringContent("{\"keys\":[\"1\",\"2\"]}", Encoding.UTF8, "application/json"));
                    Assert.Contains(got.StatusCode, new[] { HttpStatusCode.OK, HttpStatusCode.NotFound });
                    using HttpResponseMessage keys = await Client.GetAsync("/v1/tables/t/keys");
                    Assert.Contains(keys.StatusCode, new[] { HttpStatusCode.OK, HttpStatusCode.NotFound });
                }
            })),
        ];
        Task all = Task.WhenAll(clients);
        while (!all.IsCompleted)
        {
            using HttpResponseMessage drop = await Client.DeleteAsync("/v1/tables/t");
            Assert.Contains(drop.StatusCode, new[] { HttpStatusCode.NoContent, HttpStatusCode.NotFound });
        }
        await all;
    }
}
