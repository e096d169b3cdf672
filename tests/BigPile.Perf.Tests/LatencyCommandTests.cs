using System;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class LatencyCommandTests
{
    private static readonly string[] Fields =
    [
        "call", "holder", "entries", "store", "count", "valueBytes", "rate", "seconds", "flushEverySeconds", "replaceRate", "calls",
        "callsPerSecond", "serviceUs", "responseUs", "blocked", "blockedMaxUs", "preempted", "preemptedMaxUs", "collections", "flushes",
        "replacements",
    ];

    private static readonly string[] Calls = ["get", "put", "replace", "remove"];

    [Theory]
    [InlineData("table", "mapped", "plain", 0.01, 20_000)]
    [InlineData("table", "mapped", "tagged", 0.01, 0)]
    [InlineData("table", "native", "one-expiring", 0, 20_000)]
    [InlineData("table", "managed", "sliding", 0, 0)]
    [InlineData("pile", "mapped", "plain", 0.01, 20_000)]
    [InlineData("pile", "native", "plain", 0, 0)]
    public async Task It_is_an_array_of_rows_with_every_field(
        string holder, string store, string entries, double flushEvery, int replaceRate)
    {
        ConsoleRun run = await ConsoleRun.Of(
            $"latency --of {holder} --store {store} --entries {entries} --flush-every {flushEvery} --replace-rate {replaceRate} "
            + "--mebibytes 1 --rate 20000 --seconds 1 --json");
        JsonElement[] rows = [.. run.JsonArray().EnumerateArray()];
        bool isDisturbed = flushEvery > 0 || replaceRate > 0;
        string[] nothing = isDisturbed ? ["nothing", "nothing"] : ["nothing"];
        Assert.Equal([.. nothing, .. Calls], rows.Select(static row => Text(row, "call")));
        Assert.Equal((0.0, 0L), (Figure(rows[0], "flushEverySeconds"), Number(rows[0], "replaceRate")));
        Assert.Equal((0L, 0L), (Number(rows[0], "flushes"), Number(rows[0], "replacements")));
        Assert.All(rows.Skip(isDisturbed ? 1 : 0), row =>
            Assert.Equal((flushEvery, replaceRate), (Figure(row, "flushEverySeconds"), Number(row, "replaceRate"))));
        Assert.Equal(flushEvery > 0, rows.Sum(static row => Number(row, "flushes")) > 0);
        Assert.Equal(replaceRate > 0, rows.Sum(static row => Number(row, "replacements")) > 0);
        Assert.All(rows, row =>
        {
            Assert.Equal(Fields, row.EnumerateObject().Select(static field => field.Name));
            Assert.Equal((holder, store, entries), (Text(row, "holder"), Text(row, "store"), Text(row, "entries")));
            Assert.Equal((9709, 100), (Number(row, "count"), Number(row, "valueBytes")));
            Assert.Equal((20_000, 1), (Number(row, "rate"), Number(row, "seconds")));
            AssertTimes(row);
        });
    }

    [Fact]
    public async Task Only_the_calls_that_are_asked_for_are_made()
    {
        ConsoleRun run = await ConsoleRun.Of(
            "latency --calls remove,get --mebibytes 1 --value-bytes 1000000 --rate 100 --seconds 1 --json");
        JsonElement[] rows = [.. run.JsonArray().EnumerateArray()];
        Assert.Equal(["nothing", "get", "remove"], rows.Select(static row => Text(row, "call")));
        Assert.Equal(2, Number(rows[0], "count"));
    }

    [Fact]
    public async Task A_table_for_people_has_a_column_for_each_call_and_for_none()
    {
        ConsoleRun run = await ConsoleRun.Of(
            "latency --mebibytes 1 --rate 20000 --seconds 1 --store mapped --flush-every 0.01 --replace-rate 20000");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts =
        [
            "latency", "table", "9,709", "nothing", "Service p99999", "Service max", "Blocked", "Preempted", "Response p99", "Collections",
            "Flushes", "Replacements",
        ];
        Assert.All([.. parts, .. Calls], part => Assert.Contains(part, run.Output, StringComparison.OrdinalIgnoreCase));
    }

    [Theory]
    [InlineData("--of x", "--of 'x' is unknown", "Use table or pile")]
    [InlineData("--calls get,x", "--calls 'x' is unknown", "Use get, put, replace or remove")]
    [InlineData("--entries x", "--entries 'x' is unknown", "Use plain, one-expiring, expiring, sliding or tagged")]
    [InlineData("--rate 0", "--rate '0' is out of range", "from 1 to 10000000")]
    [InlineData("--seconds 0", "--seconds '0' is out of range", "from 1 to 3600")]
    [InlineData("--mebibytes 0", "--mebibytes '0' is out of range", "from 1 to 1048576")]
    [InlineData("--value-bytes 7", "--value-bytes '7' is out of range", "from 8 to 1048576")]
    [InlineData("--store mapped --flush-every -1", "--flush-every '-1' is out of range", "from 0 to 3600")]
    [InlineData("--replace-rate x", "--replace-rate 'x' is out of range", "from 0 to 10000000")]
    [InlineData("--flush-every 1", "--flush-every is for a mapped pile only", "use --store mapped")]
    [InlineData("--dir somewhere", "--dir is for a mapped pile only", "use --store mapped")]
    [InlineData("--of pile --entries tagged", "--entries is for a table only", "use --of table")]
    [InlineData("--rate 10000000 --seconds 3600", "is 36,000,000,000 calls", "the most are 1,000,000,000. Lower one of them")]
    [InlineData("--mebibytes 200000", "--mebibytes 200000 with --rate 200000 for --seconds 10 needs", "bytes of memory")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string remedy) =>
        (await ConsoleRun.Of($"latency {options}")).AssertRefused(thing, remedy);

    [Fact]
    public async Task A_load_that_is_stopped_says_so()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of("latency --mebibytes 1 --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
    }

    private static void AssertTimes(JsonElement row)
    {
        Assert.InRange(Number(row, "calls"), 1, 20_000);
        Measured.AssertAbove0(row, "callsPerSecond");
        foreach (string field in new[] { "serviceUs", "responseUs" })
        {
            JsonElement us = row.GetProperty(field);
            Assert.Equal(["p50", "p99", "p999", "p9999", "p99999", "max"], us.EnumerateObject().Select(static time => time.Name));
            double[] times = [.. us.EnumerateObject().Select(static time => time.Value.GetDouble())];
            Assert.Equal(times.Order(), times);
            Measured.AssertAbove0(times[^1]);
        }
        double longest = Figure(row.GetProperty("serviceUs"), "max");
        Assert.InRange(Figure(row.GetProperty("responseUs"), "max"), longest, double.MaxValue);
        foreach (string kind in new[] { "blocked", "preempted" })
        {
            if (System.OperatingSystem.IsLinux())
                Assert.InRange(Figure(row, $"{kind}MaxUs"), Number(row, kind) == 0 ? 0 : 1000, longest);
            else
                Assert.Equal(JsonValueKind.Null, row.GetProperty(kind).ValueKind);
        }
    }

    private static string? Text(JsonElement row, string field) => row.GetProperty(field).GetString();

    private static long Number(JsonElement row, string field) => row.GetProperty(field).GetInt64();

    private static double Figure(JsonElement row, string field) => row.GetProperty(field).GetDouble();
}
