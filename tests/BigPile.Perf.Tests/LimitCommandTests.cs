using System.Text.Json;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class LimitCommandTests
{
    [Fact]
    public async Task The_table_stays_below_its_limit_while_far_more_is_put()
    {
        JsonElement report = (await ConsoleRun.Of("limit --limit-mebibytes 4 --put-mebibytes 16 --value-bytes 200 --json")).Json();
        long limitBytes = report.GetProperty("limitBytes").GetInt64();
        Assert.Equal(4 << 20, limitBytes);
        Assert.InRange(report.GetProperty("mostTableBytes").GetInt64(), limitBytes * 3 / 4, limitBytes);
        Assert.InRange(report.GetProperty("putBytes").GetInt64(), (16 << 20) - 208, 16 << 20);
        long puts = report.GetProperty("putBytes").GetInt64() / 208;
        Assert.Equal(puts, report.GetProperty("entryCount").GetInt64() + report.GetProperty("evictions").GetInt64());
        Assert.InRange(report.GetProperty("mostProcessBytes").GetInt64(), 1, long.MaxValue);
    }

    [Fact]
    public async Task With_a_place_to_spill_to_every_key_is_found()
    {
        using var directory = new TemporaryDirectory();
        const string load = "limit --limit-mebibytes 2 --put-mebibytes 8 --value-bytes 200 --json";
        JsonElement kept = (await ConsoleRun.Of($"{load} --spill {directory.Path}")).Json();
        long count = kept.GetProperty("putBytes").GetInt64() / 208;
        Assert.Equal((count, 0), (kept.GetProperty("found").GetInt64(), kept.GetProperty("missed").GetInt64()));
        Assert.Equal(count, kept.GetProperty("entryCount").GetInt64() + kept.GetProperty("spilledEntries").GetInt64());
        JsonElement lost = (await ConsoleRun.Of(load)).Json();
        Assert.InRange(lost.GetProperty("missed").GetInt64(), count / 2, count);
        Assert.Equal(0, lost.GetProperty("spilledEntries").GetInt64());
    }

    [Fact]
    public async Task A_table_for_people_says_what_was_kept()
    {
        ConsoleRun run = await ConsoleRun.Of("limit --limit-mebibytes 2 --put-mebibytes 4");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.All(["limit", "Process percent of limit", "Evictions"], part => Assert.Contains(part, run.Output));
    }

    [Theory]
    [InlineData("--limit-mebibytes 0", "--limit-mebibytes")]
    [InlineData("--put-mebibytes x", "--put-mebibytes")]
    [InlineData("--value-bytes 7", "--value-bytes")]
    public async Task A_wrong_number_is_refused(string options, string part) =>
        (await ConsoleRun.Of($"limit {options}")).AssertRefused(part);
}
