using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Caching;
using BigPile.Http.Bulk;
using BigPile.Http.Protocol;
using BigPile.Server.Tests.Support;
using static BigPile.Server.Tests.Support.CommandRun;

namespace BigPile.Server.Tests.Api;

public sealed class BulkTests : ServerTest
{
    private PileCache Cache => Server.Service<PileCache>();

    [Fact]
    public async Task Export_and_load_give_an_identical_table()
    {
        await FillAsync();
        string lines = await Client.GetStringAsync("/v1/tables/t:export");
        // The other table has defaults, which must not come upon entries that had nothing of the kind.
        (await Server.SendAsync("PUT", "/v1/tables/u", "{\"defaultTtl\":\"1s\",\"defaultPriority\":\"low\"}"u8.ToArray()))
            .EnsureSuccessStatusCode();
        JsonElement result = await LoadAsync("/v1/tables/u:load", lines);
        Assert.Equal((0, 0), (result.GetProperty("skipped").GetInt32(), result.GetProperty("expired").GetInt32()));
        Assert.Equal(result.GetProperty("records").GetInt32(), result.GetProperty("exported").GetInt32());
        Assert.Equal(Sorted(lines), Sorted(await Client.GetStringAsync("/v1/tables/u:export")));
        AssertSame("t", "u");
        long before = Cache.GetOrCreateTable<string, byte[]>("u").Keys.Count();
        foreach (string table in new[] { "t", "u" })
            (await Server.SendAsync("POST", $"/v1/tables/{table}:evict", "{\"tags\":[\"a\"]}"u8.ToArray())).EnsureSuccessStatusCode();
        string[] left = [.. Cache.GetOrCreateTable<string, byte[]>("t").Keys.Order(StringComparer.Ordinal)];
        Assert.Equal(left, Cache.GetOrCreateTable<string, byte[]>("u").Keys.Order(StringComparer.Ordinal));
        Assert.Equal(before - 2, left.Length);
    }

    [Fact]
    public async Task The_commands_export_and_load_do_the_same_over_http_and_in_a_directory()
    {
        await FillAsync();
        string file = Path.Combine(Files.Path, "t.jsonl");
        string address = Server.Address.ToString();
        Assert.Equal(0, (await RunAsync("export", "--table", "t", "--url", address, "--out", file)).Code);
        Assert.Equal(Sorted(await Client.GetStringAsync("/v1/tables/t:export")), Sorted(await File.ReadAllTextAsync(file)));
        Assert.Equal(0, (await RunAsync("load", file, "--table", "u", "--url", address)).Code);
        AssertSame("t", "u");

        string directory = Path.Combine(Files.Path, "other");
        (int code, string output, _) = await RunAsync("load", file, "--table", "t", "--directory", directory);
        Assert.Equal(0, code);
        Assert.StartsWith($"Loaded {Cache.GetStatistics("t").EntryCount:N0} records", output, StringComparison.Ordinal);
        string again = Path.Combine(Files.Path, "again.jsonl");
        (code, _, string error) = await RunAsync("export", "--table", "t", "--directory", directory, "--out", again);
        Assert.Equal((0, $"Exported {Cache.GetStatistics("t").EntryCount:N0} entries of the table 't'.\n"), (code, error));
        Assert.Equal(Sorted(await File.ReadAllTextAsync(file)), Sorted(await File.ReadAllTextAsync(again)));

        foreach (string[] place in new[] { new[] { "--url", address }, ["--directory", directory] })
        {
            (code, output, _) = await RunAsync(["stats", .. place]);
            Assert.Equal(0, code);
            Assert.Contains(
                JsonDocument.Parse(output).RootElement.GetProperty("tables").EnumerateArray(),
                table => table.GetProperty("name").GetString() == "t"
                    && table.GetProperty("entries").GetInt64() == Cache.GetStatistics("t").EntryCount);
        }
        Assert.Equal(1, (await RunAsync("export", "--table", "none", "--url", address, "--out", again)).Code);
        Assert.Equal(1, (await RunAsync("export", "--table", "none", "--directory", directory, "--out", again)).Code);
        Assert.Equal(1, (await RunAsync("stats", "--url", "http://127.0.0.1:9")).Code);
    }

    [Fact]
    public async Task Lines_with_a_key_field_are_stored_as_they_are_and_bad_ones_named()
    {
        JsonElement result = await LoadAsync(
            "/v1/tables/t:load?key=id", "{\"id\":\"a/b\", \"v\":1}\r\n\nrubbish\n{\"x\":1}\n{\"id\":2}\n{\"id\":2,\"n\":1}");
        Assert.Equal(
            (3, 1, 2),
            (result.GetProperty(
                "records").GetInt32(), result.GetProperty("replaced").GetInt32(), result.GetProperty("skipped").GetInt32()));
        Assert.Equal([3, 4], result.GetProperty("errors").EnumerateArray().Select(static error => error.GetProperty("line").GetInt32()));
        Assert.Equal("{\"id\":\"a/b\", \"v\":1}", await Client.GetStringAsync("/v1/tables/t/entries/a%2Fb"));
        JsonElement operation = await GetJsonAsync("/v1/operations/" + result.GetProperty("operation").GetString());
        Assert.Equal(("load", "done", 3), (
            operation.GetProperty("kind").GetString(), operation.GetProperty("state").GetString(),
            operation.GetProperty("result").GetProperty("records").GetInt32()));
    }

    [Fact]
    public async Task Many_bad_lines_are_counted_and_the_first_hundred_named()
    {
        JsonElement result = await LoadAsync("/v1/tables/t:load", string.Concat(Enumerable.Repeat("rubbish\n", 1_000)));
        Assert.Equal((1_000, 100), (result.GetProperty("skipped").GetInt32(), result.GetProperty("errors").GetArrayLength()));
    }

    [Fact]
    public async Task A_load_may_be_longer_than_a_body()
    {
        const long TotalBytes = 80L << 20; // a body may have 32 MiB
        var line = Encoding.UTF8.GetBytes($"{{\"id\":1,\"text\":\"{new string('x', 1000)}\"}}\n");
        int lines = (int)(TotalBytes / line.Length / RepeatedContent.LinesAtOnce * RepeatedContent.LinesAtOnce);
        JsonElement result = await LoadAsync("/v1/tables/t:load?key=id", new RepeatedContent(line, lines));
        Assert.Equal(lines, result.GetProperty("records").GetInt32());
    }

    [Fact]
    public void A_load_allocates_little_for_a_line()
    {
        CacheTable<string, byte[]> table = Cache.GetOrCreateTable<string, byte[]>("t");
        var lines = new StringBuilder();
        for (int i = 0; i < 20_000; i++)
            lines.Append("{\"id\":").Append(i).Append(",\"text\":\"").Append('x', 500).Append("\"}\n");
        using var stream = new MemoryStream(Encoding.UTF8.GetBytes(lines.ToString()));
        for (int round = 0; round < 3; round++)
        {
            stream.Position = 0;
            var tally = new LoadTally(TimeProvider.System, static (_, reason) => Assert.Fail(reason));
            long before = GC.GetAllocatedBytesForCurrentThread();
            Task running = new BulkLoad(table, "id", 1 << 20, tally, TimeProvider.System).RunAsync(stream, default);
            Assert.True(running.IsCompletedSuccessfully);
            long allocatedBytes = GC.GetAllocatedBytesForCurrentThread() - before;
            Assert.Equal(20_000, tally.Records);
            if (round == 2)
                Assert.InRange(allocatedBytes, 0, 20_000 * 100); // a line has 500 bytes and more
        }
    }

    [Fact]
    public async Task What_has_expired_is_left_out_and_what_is_no_record_named()
    {
        const string Lines = """
            {"key":"old","value":1,"expires":"2001-01-01T00:00:00Z"}
            {"key":"a","base64":"???"}
            {"key":"b","encoding":"gzip","base64":"AAAA"}
            {"key":"c","value":1} x
            {"key":"d","tags":["x"]}
            {"key":"e","value":"ok"}
            """;
        JsonElement result = await LoadAsync("/v1/tables/t:load", Lines);
        Assert.Equal(
            (1, 1, 4),
            (result.GetProperty("records").GetInt32(), result.GetProperty("expired").GetInt32(), result.GetProperty("skipped").GetInt32()));
        Assert.Equal("\"ok\"", await Client.GetStringAsync("/v1/tables/t/entries/e"));
    }

    private async Task FillAsync()
    {
        (string Key, byte[] Body, (string, string)[] Headers)[] entries =
        [
            ("json", "{\"a\": [1,2.50,\"\\u00fc ü\"]}"u8.ToArray(), [("Content-Type", "application/json")]),
            ("json/with/lines", "{\n}"u8.ToArray(), [("Content-Type", "application/json")]),
            ("json with space", " 1"u8.ToArray(), [("Content-Type", "application/json")]),
            ("json that is none", [0xFF, 1], [("Content-Type", "application/json")]),
            ("json; charset", "1"u8.ToArray(), [("Content-Type", "application/json; charset=utf-8"), ("BigPile-Tags", "a")]),
            ("schlüssel 🔑\"\\\n\u0001", [0, 1, 2, 255], [("Content-Type", "image/png"), ("BigPile-Ttl", "1h")]),
            ("sliding", [], [("BigPile-Sliding", "500s"), ("BigPile-Priority", "high")]),
            ("sliding to an end", [1],
                [("BigPile-Sliding", "501500ms"), ("BigPile-Ttl", "1d"), ("BigPile-Priority", "never-evict"), ("BigPile-Tags", "b, a")]),
            ("packed", StoredCodingTests.Pack(
                ContentCoding.Brotli, new byte[5000]), [("Content-Encoding", "br"), ("Content-Type", "x/y; z=1")]),
            (new string('k', 1024), new byte[100_000], [("BigPile-Priority", "low")]),
        ];
        foreach ((string key, byte[] body, (string, string)[] headers) in entries)
            (await Server.SendAsync("PUT", "/v1/tables/t/entries/" + Uri.EscapeDataString(key), body, headers)).EnsureSuccessStatusCode();
        for (int i = 0; i < 300; i++)
            (await Server.PutAsync($"/v1/tables/t/entries/many/{i}", Encoding.UTF8.GetBytes($"{{\"i\":{i}}}"), "application/json"))
                .EnsureSuccessStatusCode();
    }

    private void AssertSame(string left, string right)
    {
        CacheTable<string, byte[]> first = Cache.GetOrCreateTable<string, byte[]>(left);
        CacheTable<string, byte[]> second = Cache.GetOrCreateTable<string, byte[]>(right);
        Assert.Equal(first.Keys.Order(StringComparer.Ordinal), second.Keys.Order(StringComparer.Ordinal));
        foreach (TableEntry<string> entry in first.Entries.ToArray())
        {
            Assert.True(second.TryGetEntry(entry.Key, out TableEntry<string> other));
            Assert.Equal((entry.Sliding, entry.ExpiresAt, entry.Priority), (other.Sliding, other.ExpiresAt, other.Priority));
            Assert.Equal(first.Get(entry.Key), second.Get(entry.Key));
        }
    }

    private static string[] Sorted(string lines) => [.. lines.Split('\n').Order(StringComparer.Ordinal)];

    private Task<JsonElement> LoadAsync(string path, string lines) => LoadAsync(path, new StringContent(lines));

    private async Task<JsonElement> LoadAsync(string path, HttpContent content)
    {
        using HttpResponseMessage response = await Client.PostAsync(path, content);
        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
        return JsonDocument.Parse(await response.Content.ReadAsByteArrayAsync()).RootElement;
    }

    /// <summary>A body of the same bytes over and over, of unknown length.</summary>
    private sealed class RepeatedContent(byte[] bytes, int count) : HttpContent
    {
        internal const int LinesAtOnce = 100;

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            byte[] block = [.. Enumerable.Repeat(bytes, LinesAtOnce).SelectMany(static line => line)];
            for (int i = 0; i < count; i += LinesAtOnce)
                await stream.WriteAsync(block);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
