using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class GraphCommandTests
{
    private static readonly string[] Fields =
    [
        "file", "store", "threadsMax", "packages", "names", "dependencies", "edges", "missing", "alternatives", "laterAlternatives",
        "transitivePairs", "mostNeeded", "rates", "pile", "plain",
    ];

    [Theory]
    [InlineData("native", 1)]
    [InlineData("managed", 2)]
    [InlineData("mapped", 3)]
    public async Task It_is_one_object_with_every_field(string store, int threadsMax)
    {
        using var file = CatalogText.Of(SmallGraph.Lines);
        ConsoleRun run = await ConsoleRun.Of($"graph {file.Path} --store {store} --threads-max {threadsMax} --json");
        JsonElement report = run.Json();
        Assert.Equal(Fields, report.EnumerateObject().Select(field => field.Name));
        Assert.Equal((file.Path, store), (report.GetProperty("file").GetString(), report.GetProperty("store").GetString()));
        AssertCounts(report);
        AssertRates(report.GetProperty("rates"), threadsMax);
        AssertGraphs(report.GetProperty("pile"), report.GetProperty("plain"));
    }

    [Fact]
    public async Task A_compressed_catalog_is_known_by_its_content()
    {
        using var file = CatalogText.Compressed(SmallGraph.Lines);
        AssertCounts((await ConsoleRun.Of($"graph {file.Path} --json")).Json());
    }

    [Fact]
    public async Task Tables_name_the_graphs_and_the_most_needed_in_plain_text()
    {
        using var file = CatalogText.Of(SmallGraph.Lines);
        ConsoleRun run = await ConsoleRun.Of($"graph {file.Path}");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts = ["native", "Plain full collection", "graph: rates", "dependents", "graph: most needed", "bottom"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
        Assert.DoesNotContain("\u001b", run.Output);
    }

    [Fact]
    public async Task A_load_that_is_stopped_says_so()
    {
        using var file = CatalogText.Of(SmallGraph.Lines);
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of($"graph {file.Path} --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
    }

    private static void AssertCounts(JsonElement report)
    {
        string[] names = ["packages", "names", "dependencies", "edges", "missing", "alternatives", "laterAlternatives", "transitivePairs"];
        Assert.Equal([10, 10, 12, 10, 2, 3, 1, 18], names.Select(name => report.GetProperty(name).GetInt32()));
        var needed = report.GetProperty("mostNeeded").EnumerateArray()
            .Select(package => (package.GetProperty("name").GetString(), package.GetProperty("dependents").GetInt32()));
        Assert.Equal([("x", 6), ("y", 6), ("bottom", 4), ("left", 1), ("right", 1)], needed);
    }

    private static void AssertRates(JsonElement rates, int threadsMax)
    {
        var expected =
            from graph in new[] { "pile", "plain" }
            from direction in new[] { "dependencies", "dependents" }
            from threads in new[] { 1, threadsMax }.Distinct()
            select (graph, direction, threads);
        Assert.Equal(expected, rates.EnumerateArray().Select(
            rate => (rate.GetProperty(
                "graph").GetString()!, rate.GetProperty("direction").GetString()!, rate.GetProperty("threads").GetInt32())));
        Assert.All(rates.EnumerateArray(), rate =>
        {
            Assert.InRange(rate.GetProperty("edgesWalked").GetInt64(), 18, 100);
            Measured.AssertAbove0(rate, "seconds", "edgesPerSecond");
        });
    }

    private static void AssertGraphs(JsonElement pile, JsonElement plain)
    {
        Assert.Equal(10 + 6, pile.GetProperty("objects").GetInt64()); // six packages have dependents
        Assert.Equal(0, pile.GetProperty("links").GetInt64());
        Assert.InRange(pile.GetProperty("payloadBytes").GetInt64(), 10 * 100, pile.GetProperty("committedBytes").GetInt64());
        Assert.InRange(pile.GetProperty("bytesPerObject").GetDouble(), 50, 100_000);
        Assert.InRange(pile.GetProperty("bytesPerPackage").GetDouble(), pile.GetProperty("bytesPerObject").GetDouble(), 1_000_000);
        foreach (JsonElement graph in new[] { pile, plain })
        {
            Measured.AssertAbove0(graph, "loadSeconds", "fullCollectionMs");
        }
    }
}
