using System;
using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Http.Metrics;
using BigPile.Http.Security;
using BigPile.Server.Tests.Support;

namespace BigPile.Server.Tests.Api;

/// <summary>How many tables clients may make, in all and with one key, and what is left when they are dropped.</summary>
public sealed class TableLimitTests : IAsyncLifetime
{
    private const int MaxTables = 12;
    private const int MaxOfKey = 5;

    private readonly TemporaryDirectory _directory = new();
    private string[] _settings = [];
    private string _writer = "";
    private string _other = "";
    private string _admin = "";
    private RunningServer _server = null!;

    private PileCache Cache => _server.Service<PileCache>();

    private int CatalogCount =>
        Cache.Pile.CountCatalog("Table") + Cache.Pile.CountCatalog("TableChange");

    public async Task InitializeAsync()
    {
        _settings =
        [
            $"--Limits:Tables={MaxTables}", .. Key(0, "writer", KeyScopes.Write, out _writer), $"--Security:Keys:0:MaxTables={MaxOfKey}",
            .. Key(1, "other", KeyScopes.Write, out _other),
            .. Key(2, "admin", KeyScopes.Read | KeyScopes.Write | KeyScopes.Admin, out _admin),
        ];
        _server = await RunningServer.StartAsync(_directory.Pile, _settings);
    }

    public async Task DisposeAsync()
    {
        await _server.DisposeAsync();
        _directory.Dispose();
    }

    [Fact]
    public async Task A_key_makes_its_own_share_of_tables_also_over_a_restart()
    {
        for (int i = 0; i < MaxOfKey; i++)
            Assert.Equal(HttpStatusCode.Created, await PutAsync(_writer, $"w{i}"));
        int catalog = CatalogCount;
        await AssertFullAsync(_writer, "The key 'writer'");
        Assert.Equal(catalog, CatalogCount);
        Assert.Equal(HttpStatusCode.NoContent, await PutAsync(_writer, "w0"));
        Assert.Equal(HttpStatusCode.Created, await PutAsync(_other, "o"));
        Assert.Equal(HttpStatusCode.Created, await PutAsync(_writer, "o", "another"));
        await _server.DisposeAsync();
        _server = await RunningServer.StartAsync(_directory.Pile, _settings);
        await AssertFullAsync(_writer, "The key 'writer'");
        using (HttpResponseMessage dropped = await SendAsync(_admin, HttpMethod.Delete, "/v1/tables/w1"))
            Assert.Equal(HttpStatusCode.NoContent, dropped.StatusCode);
        Assert.Equal(HttpStatusCode.Created, await PutAsync(_writer, "w1"));
        await AssertFullAsync(_writer, "The key 'writer'");
    }

    [Fact]
    public async Task All_together_make_as_many_as_the_server_takes()
    {
        for (int i = 0; i < MaxTables; i++)
            Assert.Equal(HttpStatusCode.Created, await PutAsync(_other, $"o{i}"));
        int catalog = CatalogCount;
        await AssertFullAsync(_other, "Limits:Tables");
        await AssertFullAsync(_admin, "Limits:Tables");
        using (HttpResponseMessage made = await SendAsync(_admin, HttpMethod.Put, "/v1/tables/more", new StringContent("{}")))
            await ServerTest.ProblemAsync(made, HttpStatusCode.InsufficientStorage, "tables_full");
        Assert.Equal(catalog, CatalogCount);
        Assert.Equal(MaxTables, Cache.TableNames.Count);
        for (int i = 0; i < 3 * MaxTables; i++)
        {
            Assert.Equal(HttpStatusCode.NoContent, (await SendAsync(_admin, HttpMethod.Delete, $"/v1/tables/o{i}")).StatusCode);
            Assert.Equal(HttpStatusCode.Created, await PutAsync(_other, $"o{i + MaxTables}"));
        }
        Assert.InRange(Cache.Pile.CountCatalog("Table"), MaxTables, MaxTables + 3); // and those of the service itself
    }

    [Fact]
    public async Task A_load_says_when_its_table_can_not_be_made_any_more()
    {
        OperationStore operations = _server.Service<OperationStore>();
        using var body = new HeldContent("{\"k\":\"x\"}\n"u8.ToArray());
        Task<HttpResponseMessage> sent = SendAsync(_admin, HttpMethod.Post, "/v1/tables/late:load?key=k", body);
        await Eventually.TrueAsync(() => operations.All.Count != 0 || sent.IsCompleted);
        for (int i = 0; i < MaxTables; i++)
            Assert.Equal(HttpStatusCode.Created, await PutAsync(_other, $"o{i}"));
        body.Release();
        JsonElement problem = await ServerTest.ProblemAsync(await sent, HttpStatusCode.InsufficientStorage, "tables_full");
        Assert.Contains("Limits:Tables", problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        Assert.Equal(OperationState.Failed, operations.All[0].State);
        Assert.DoesNotContain("late", Cache.TableNames);
    }

    [Fact]
    public async Task A_table_that_was_dropped_is_gone_with_its_settings_and_is_made_anew()
    {
        var settings = new StringContent("""{"maximumEntries":7}""");
        Assert.Equal(HttpStatusCode.Created, (await SendAsync(_admin, HttpMethod.Put, "/v1/tables/t", settings)).StatusCode);
        Assert.Equal(HttpStatusCode.Created, await PutAsync(_writer, "t"));
        long? objects = Cache.Pile.Statistics.ObjectCount;
        Assert.Equal(HttpStatusCode.NoContent, (await SendAsync(_admin, HttpMethod.Delete, "/v1/tables/t")).StatusCode);
        Assert.True(Cache.Pile.Statistics.ObjectCount <= objects - 2);
        foreach (string path in new[] { "/v1/tables/t", "/v1/tables/t/keys", "/v1/tables/t/entries/k", "/v1/tables/t:export" })
            Assert.Equal(HttpStatusCode.NotFound, (await SendAsync(_admin, HttpMethod.Get, path)).StatusCode);
        Assert.Equal(HttpStatusCode.NotFound, (await SendAsync(_admin, HttpMethod.Delete, "/v1/tables/t")).StatusCode);
        await _server.DisposeAsync();
        _server = await RunningServer.StartAsync(_directory.Pile, _settings);
        Assert.Empty(Cache.TableNames);
        Assert.Equal(HttpStatusCode.Created, await PutAsync(_writer, "t"));
        using HttpResponseMessage read = await SendAsync(_admin, HttpMethod.Get, "/v1/tables/t");
        JsonElement found = JsonDocument.Parse(await read.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal(1, found.GetProperty("entries").GetInt64());
        Assert.False(found.GetProperty("options").TryGetProperty("maximumEntries", out _));
    }

    [Fact]
    public void The_figures_of_many_tables_stay_few()
    {
        using var meter = new Meter("test");
        var metric = new Metric(meter.CreateCounter<long>("c"), MetricKind.Counter);
        for (int round = 0; round < 2; round++)
        {
            for (int i = 0; i < 10 * Metric.MaxSeries; i++)
                metric.Record(1, [new("table", $"t{i}"), new("kind", i % 3)]);
        }
        Assert.Equal(Metric.MaxSeries + 1, metric.Series.Count);
        Assert.Equal(20 * Metric.MaxSeries, metric.Series.Sum(static series => series.Value));
        Assert.Equal(2, metric.Series.Min(static series => series.Value));
        metric.Clear();
        Assert.Empty(metric.Series);
    }

    private static string[] Key(int index, string name, KeyScopes scopes, out string credential)
    {
        var key = BigPileKey.Create(name, scopes, out credential);
        string path = $"--Security:Keys:{index}:";
        return [$"{path}Name={name}", $"{path}Hash={key.Hash}",
            $"{path}Scopes={scopes.ToString().Replace(" ", "", StringComparison.Ordinal)}"];
    }

    private async Task AssertFullAsync(string credential, string whose)
    {
        (string Path, HttpMethod Method, string Body)[] requests =
        [
            ("/v1/tables/none/entries/k", HttpMethod.Put, "x"), ("/v1/tables/none/entries/k", HttpMethod.Post, "x"),
            ("/v1/tables/none:mset", HttpMethod.Post, """{"items":[{"key":"k","text":"x"}]}"""),
            ("/v1/tables/none:load?key=k", HttpMethod.Post, "{\"k\":\"x\"}"),
        ];
        foreach ((string path, HttpMethod method, string body) in requests)
        {
            using HttpResponseMessage answer =
                await SendAsync(credential, method, path, new StringContent(body, Encoding.UTF8, "application/json"));
            JsonElement problem = await ServerTest.ProblemAsync(answer, HttpStatusCode.InsufficientStorage, "tables_full");
            Assert.Contains(whose, problem.GetProperty("detail").GetString(), StringComparison.Ordinal);
        }
        Assert.DoesNotContain("none", Cache.TableNames);
    }

    private async Task<HttpStatusCode> PutAsync(string credential, string table, string key = "k")
    {
        using HttpResponseMessage answer =
            await SendAsync(credential, HttpMethod.Put, $"/v1/tables/{table}/entries/{key}", new StringContent("x"));
        return answer.StatusCode;
    }

    private Task<HttpResponseMessage> SendAsync(string credential, HttpMethod method, string path, HttpContent? body = null)
    {
        var request = new HttpRequestMessage(method, path) { Content = body };
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", credential);
        return _server.Client.SendAsync(request);
    }

    /// <summary>A body that comes when it is let go.</summary>
    private sealed class HeldContent(byte[] bytes) : HttpContent
    {
        private readonly TaskCompletionSource _released = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal void Release() => _released.SetResult();

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            await stream.FlushAsync();
            await _released.Task;
            await stream.WriteAsync(bytes);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = bytes.Length;
            return true;
        }
    }
}
