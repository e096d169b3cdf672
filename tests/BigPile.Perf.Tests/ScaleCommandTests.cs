using System.Text.Json;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class ScaleCommandTests
{
    [Theory]
    [InlineData("native", 1)]
    [InlineData("managed", 3)]
    [InlineData("mapped", 2)]
    public async Task It_tells_rates_and_times_of_single_operations(string store, int threads)
    {
        ConsoleRun run = await ConsoleRun.Of($"scale --store {store} --mebibytes 2 --threads {threads} --operations 20000 --json");
        JsonElement report = run.Json();
        Assert.Equal(store, report.GetProperty("store").GetString());
        Assert.Equal((19_418, threads), (report.GetProperty("count").GetInt32(), report.GetProperty("threads").GetInt32()));
        Assert.InRange(report.GetProperty("committedBytes").GetInt64(), 19_418 * 108, 1L << 27);
        Measured.AssertAbove0(report, "getPerSecond", "putPerSecond");
        Measured.AssertNotNegative(report, "clockUs");
        foreach (string times in new[] { "getUs", "putUs" })
        {
            JsonElement us = report.GetProperty(times);
            double p50 = us.GetProperty("p50").GetDouble();
            Measured.AssertAbove0(p50);
            Assert.InRange(us.GetProperty("max").GetDouble(), p50, double.MaxValue);
        }
    }

    [Fact]
    public async Task A_table_for_people_has_both_operations()
    {
        ConsoleRun run = await ConsoleRun.Of("scale --mebibytes 1 --operations 1000");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts = ["9,709", "Get per second", "Put per second", "Get p999", "Clock"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
    }

    [Theory]
    [InlineData("--mebibytes 0", "--mebibytes '0' is out of range", "from 1 to 1048576")]
    [InlineData("--operations x", "--operations 'x' is out of range", "from 1 to 1000000000")]
    [InlineData("--mebibytes 200000", "--mebibytes 200000 needs", "use --store mapped")]
    [InlineData("--dir somewhere", "--dir is for a mapped pile only", "use --store mapped")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string remedy) =>
        (await ConsoleRun.Of($"scale {options}")).AssertRefused(thing, remedy);
}
