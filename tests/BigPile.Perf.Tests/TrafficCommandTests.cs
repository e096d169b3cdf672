using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tests;

public sealed class TrafficCommandTests
{
    private static readonly string[] Fields =
    [
        "requests", "seed", "clients", "depth", "keys", "wrongAnswers", "wrongExamples", "perSecond", "seconds", "operations",
            "expiredReads",
        "uncertainChanges", "finalReads", "restarts", "memory",
    ];

    private const string Short = "--requests 3000 --clients 3 --keys 1024 --depth 1 --seed 5";

    // One for the test of the figures and that of the table: each run starts three servers.
    private static readonly Lazy<Task<JsonElement>> ShortRun = new(static () => RunOf(Short));

    [Theory]
    [InlineData("--requests 10000 --clients 2 --keys 2000", 10_000, 4_000)]
    [InlineData(Short, 3_000, 3_072)]
    public async Task Every_answer_of_a_short_run_is_right(string options, long requests, long keys)
    {
        JsonElement report = await (options == Short ? ShortRun.Value : RunOf(options));
        Assert.Equal(Fields, report.EnumerateObject().Select(static field => field.Name));
        Assert.Equal(0, report.GetProperty("wrongAnswers").GetInt64());
        Assert.Equal((requests, keys), (report.GetProperty("requests").GetInt64(), report.GetProperty("finalReads").GetInt64()));
        JsonElement operations = report.GetProperty("operations");
        Assert.Equal(requests, operations.EnumerateObject().Sum(static operation => operation.Value.GetInt64()));
        Assert.All(["reads", "conditionalReads", "headReads", "writes", "deletes"], name =>
            Assert.True(operations.GetProperty(name).GetInt64() > requests / 50));
        Assert.Equal(["SIGTERM", "SIGKILL"], report.GetProperty(
            "restarts").EnumerateArray().Select(static restart => restart.GetProperty("how").GetString()));
        JsonElement[] memory = [.. report.GetProperty("memory").EnumerateArray()];
        Assert.Equal([25, 50, 75, 100], memory.Select(static one => one.GetProperty("percent").GetInt32()));
        Assert.Equal(3, memory.Select(static one => one.GetProperty("processId").GetInt32()).Distinct().Count());
        Assert.All(memory, static one => Assert.InRange(one.GetProperty("processBytes").GetInt64(), 1 << 20, 1L << 32));
    }

    [Fact]
    public async Task A_table_for_people_has_the_figures()
    {
        TrafficReport report = JsonReport.Read<TrafficReport>((await ShortRun.Value).GetRawText())! with { Requests = 2000, Clients = 1 };
        using var output = new StringWriter();
        var command = new TrafficCommand(output, (_, _, _) => report);
        Assert.Equal(0, await command.Parse("--requests 2000 --clients 1 --keys 1024").InvokeAsync());
        string[] parts =
            ["2,000", "Wrong answers", "Per second", "SIGTERM", "SIGKILL", "Managed bytes"];
        Assert.All(parts, part => Assert.Contains(part, output.ToString()));
    }

    [Theory]
    [InlineData("--requests 999", "--requests '999' is out of range", "from 1000 to 1000000000")]
    [InlineData("--clients 0", "--clients '0' is out of range", "from 1 to 64")]
    [InlineData("--depth 65", "--depth '65' is out of range", "from 1 to 64")]
    [InlineData("--keys 5", "--keys '5' is out of range", "from 1024 to 10000000")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"traffic {options}")).AssertRefused(thing, limit);

    [Fact]
    public async Task A_load_that_is_stopped_says_so()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of("traffic --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
    }

    private static async Task<JsonElement> RunOf(string options) => (await ConsoleRun.Of($"traffic {options} --json")).Json();
}
