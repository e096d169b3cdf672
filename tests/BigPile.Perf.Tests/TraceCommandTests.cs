using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class TraceCommandTests
{
    // From a plain simulation of each policy; the better of the two.
    private const double AllowedBelow = 1.0;

    [Fact]
    public async Task It_is_one_object_with_every_field()
    {
        using var file = CatalogText.Of("a", "b", "a", "c", "", "a");
        JsonElement report = (await ConsoleRun.Of($"trace {file.Path} --capacity 3 --json")).Json();
        Assert.Equal(
            ["file", "accesses", "distinctKeys", "capacity", "hitRatioPercent", "operationsPerSecond"],
            report.EnumerateObject().Select(field => field.Name));
        Assert.Equal(5, report.GetProperty("accesses").GetInt32());
        Assert.Equal(3, report.GetProperty("distinctKeys").GetInt32());
        Assert.Equal(40, report.GetProperty("hitRatioPercent").GetDouble());
        Assert.InRange(report.GetProperty("operationsPerSecond").GetDouble(), 1, 1e10);
    }

    [Fact]
    public async Task A_compressed_trace_with_a_share_of_its_keys_is_fine()
    {
        using var file = CatalogText.Compressed([.. Enumerable.Range(0, 1000).Select(i => $"key{i % 100}")]);
        JsonElement report = (await ConsoleRun.Of($"trace {file.Path} --capacity-fraction 0.5 --json")).Json();
        Assert.Equal((100, 50), (report.GetProperty("distinctKeys").GetInt32(), report.GetProperty("capacity").GetInt32()));
    }

    [Theory]
    [InlineData("", "--capacity N or --capacity-fraction F")]
    [InlineData("--capacity 1 --capacity-fraction 0.1", "--capacity N or --capacity-fraction F")]
    [InlineData("--capacity 0", "--capacity '0' is out of range")]
    [InlineData("--capacity-fraction 2", "--capacity-fraction '2' is out of range")]
    public async Task Bad_input_is_refused(string options, string part)
    {
        using var file = CatalogText.Of("a");
        (await ConsoleRun.Of($"trace {file.Path} {options}")).AssertRefused(part);
    }

    [Fact]
    public async Task An_empty_or_missing_trace_is_refused()
    {
        using var file = CatalogText.Of();
        (await ConsoleRun.Of($"trace {file.Path} --capacity 5")).AssertRefused(file.Path, "is empty");
        (await ConsoleRun.Of("trace no-such-trace --capacity 5")).AssertRefused("no-such-trace");
    }

    [TraceTheory]
    [InlineData("web07", 0.01, 43.76)]
    [InlineData("web07", 0.05, 54.23)]
    [InlineData("web07", 0.1, 58.11)]
    [InlineData("web12", 0.01, 40.86)]
    [InlineData("web12", 0.05, 64.84)]
    [InlineData("web12", 0.1, 72.25)]
    [InlineData("orm-busy", 0.01, 77.03)]
    [InlineData("orm-busy", 0.05, 85.26)]
    [InlineData("orm-busy", 0.1, 89.00)]
    public async Task Recorded_accesses_are_hit_about_as_often_as_by_the_better_of_lru_and_s3_fifo(
        string trace, double share, double better)
    {
        ConsoleRun run = await ConsoleRun.Of(
            FormattableString.Invariant($"trace {TraceTheoryAttribute.PathOf(trace)} --capacity-fraction {share} --json"));
        Assert.InRange(run.Json().GetProperty("hitRatioPercent").GetDouble(), better - AllowedBelow, 100);
    }

    /// <summary>Runs where the recorded traces lie beside the repository.</summary>
    [AttributeUsage(AttributeTargets.Method)]
    private sealed class TraceTheoryAttribute : TheoryAttribute
    {
        public TraceTheoryAttribute()
        {
            if (!File.Exists(PathOf("web07")))
                Skip = "The recorded traces are not beside the repository.";
        }

        internal static string PathOf(string trace) =>
            Path.Combine(Path.GetDirectoryName(SourceTree.Root)!, "shared", "data", "traces", trace + ".keys.gz");
    }
}
