using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class FullCommandTests
{
    [Fact]
    public async Task What_gives_way_throws_nothing_and_what_does_not_refuses()
    {
        const string load = "full --kind speculative,distributed-refused --pile 8m --seconds 1 --json";
        JsonElement[] rows = [.. (await ConsoleRun.Of(load)).JsonArray().EnumerateArray()];
        Assert.Equal(["speculative", "distributed-refused"], rows.Select(row => row.GetProperty("kind").GetString()));
        Assert.All(rows, row => Assert.Equal(0, row.GetProperty("exceptions").GetInt64()));
        Assert.All(rows, row => Assert.InRange(row.GetProperty("hitRatioPercent").GetDouble(), 1, 99.9));
        Assert.NotEqual(0, rows[0].GetProperty("evictions").GetInt64());
        Assert.Equal(0, rows[0].GetProperty("refusals").GetInt64());
        Assert.InRange(rows[0].GetProperty("limitedHitRatioPercent").GetDouble(), 1, 99.9);
        Assert.Equal(0, rows[1].GetProperty("evictions").GetInt64());
        Assert.NotEqual(0, rows[1].GetProperty("refusals").GetInt64());
        Assert.Equal(JsonValueKind.Null, rows[1].GetProperty("limitedHitRatioPercent").ValueKind);
    }

    [Fact]
    public async Task Tables_give_way_to_a_durable_one_and_lose_nothing_that_stays()
    {
        JsonElement report = (await ConsoleRun.Of("full --shares --pile 8m --json")).Json();
        Assert.All(["durableEntries", "objects"], count => Assert.InRange(report.GetProperty(count).GetInt32(), 1, 8 << 10));
        Assert.All(["lostEntries", "lostObjects"], count => Assert.Equal(0, report.GetProperty(count).GetInt32()));
        JsonElement[] tables = [.. report.GetProperty("tables").EnumerateArray()];
        Assert.Equal(["rate1", "rate2", "rate4"], tables.Select(table => table.GetProperty("table").GetString()));
        Assert.All(tables, table => Assert.NotEqual(0, table.GetProperty("evictions").GetInt64()));
    }

    [Theory]
    [InlineData("--pile 1m", "--pile '1m' is out of range", "from 8m to 64g")]
    [InlineData("--kind all", "--kind 'all' is unknown", "speculative")]
    [InlineData("--shares --kind durable", "--shares", "Leave out --kind")]
    public async Task A_wrong_option_is_refused(string options, string thing, string remedy) =>
        (await ConsoleRun.Of($"full {options}")).AssertRefused(thing, remedy);
}
