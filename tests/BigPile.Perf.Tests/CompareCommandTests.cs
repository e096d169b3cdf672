using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class CompareCommandTests
{
    [Fact]
    public async Task It_is_one_object_with_every_store()
    {
        JsonElement report = (await ConsoleRun.Of("compare --count 20000 --threads 2 --json")).Json();
        Assert.Equal(["count", "valueBytes", "threads", "sides"], report.EnumerateObject().Select(field => field.Name));
        JsonElement[] sides = [.. report.GetProperty("sides").EnumerateArray()];
        Assert.Equal(
            [
                "BigPile table", "ConcurrentDictionary", "MemoryCache", "ConcurrentLru", "ConcurrentLfu", "FusionCache", "HybridCache",
                "FASTER",
            ],
            sides.Select(side => side.GetProperty("name").GetString()));
        Assert.All(
            sides, static side => Measured.AssertAbove0(side, "insertPerSecond", "randomGetPerSecond", "longestFullCollectionMs"));
    }

    [Fact]
    public async Task A_table_for_people_has_a_column_for_each()
    {
        ConsoleRun run = await ConsoleRun.Of("compare --count 2000");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.All(["ConcurrentDictionary", "FASTER", "Longest full collection"], part => Assert.Contains(part, run.Output));
    }
}
