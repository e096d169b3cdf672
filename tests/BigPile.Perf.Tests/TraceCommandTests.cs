using System;
using System.Collections.Concurrent;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using BigPile.Perf.Policies;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tests;

public sealed class TraceCommandTests
{
    private const double AllowedBelow = 1.0;
    private const double Tolerance = 0.0015;
    private const string Longest = "orm-busy";

    private static readonly ConcurrentDictionary<string, Task<JsonElement>> Recorded = new();

    // The longest trace, of five million accesses, is replayed at its hardest share here, and at all in the long leg.
    public static TheoryData<string, double, double, double, double> RecordedShares
    {
        get
        {
            var shares = new TheoryData<string, double, double, double, double>
            {
                { "web07", 0.01, 39.146, 43.744, 53.378 },
                { "web07", 0.05, 50.562, 54.218, 63.718 },
                { "web07", 0.1, 55.665, 58.111, 68.092 },
                { "web12", 0.01, 39.698, 40.883, 58.463 },
                { "web12", 0.05, 59.998, 64.838, 74.666 },
                { "web12", 0.1, 68.482, 72.253, 80.033 },
                { Longest, 0.01, 77.034, 75.643, 82.825 },
            };
            if (TestLeg.IsLong)
            {
                shares.Add(Longest, 0.05, 84.131, 85.257, 90.184);
                shares.Add(Longest, 0.1, 88.007, 89.032, 93.307);
            }
            return shares;
        }
    }

    [Fact]
    public async Task It_is_one_object_with_every_field()
    {
        using var file = CatalogText.Of("a", "b", "a", "c", "", "a");
        JsonElement report = (await ConsoleRun.Of($"trace {file.Path} --capacity 3 --json")).Json();
        Assert.Equal(["rows", "threads", "meanDifferencePoints", "worstDifferencePoints"], NamesOf(report));
        JsonElement row = Assert.Single(report.GetProperty("rows").EnumerateArray());
        Assert.Equal(
            [
                "file", "accesses", "distinctKeys", "capacityFraction", "capacity", "capacityBytes", "hitRatioPercent",
                "byteHitRatioPercent", "operationsPerSecond", "policies", "differencePoints",
            ],
            NamesOf(row));
        Assert.Equal(5, row.GetProperty("accesses").GetInt32());
        Assert.Equal(3, row.GetProperty("distinctKeys").GetInt32());
        Assert.Equal(40, row.GetProperty("hitRatioPercent").GetDouble());
        Measured.AssertAbove0(row, "operationsPerSecond");
        JsonElement policies = row.GetProperty("policies");
        Assert.Equal(["own", "lru", "s3fifo", "concurrentlru", "concurrentlfu", "opt"], NamesOf(policies));
        Assert.All(policies.EnumerateObject(), static policy => Assert.Equal(40, policy.Value.GetProperty("hitRatioPercent").GetDouble()));
        Assert.Equal(0, row.GetProperty("differencePoints").GetDouble());
    }

    [Fact]
    public async Task A_compressed_trace_with_a_share_of_its_keys_is_fine()
    {
        using var file = CatalogText.Compressed([.. Enumerable.Range(0, 1000).Select(i => $"key{i % 100}")]);
        JsonElement row = await RowOf($"trace {file.Path} --capacity-fraction 0.5 --policies none --json");
        Assert.Equal((100, 50), (row.GetProperty("distinctKeys").GetInt32(), row.GetProperty("capacity").GetInt32()));
        Assert.Empty(row.GetProperty("policies").EnumerateObject());
        Assert.Equal(JsonValueKind.Null, row.GetProperty("differencePoints").ValueKind);
    }

    [Fact]
    public async Task Each_trace_has_a_row_for_each_share()
    {
        using var loop = CatalogText.Of([.. Enumerable.Range(0, 3000).Select(static i => $"{i % 100}")]);
        using var once = CatalogText.Of([.. Enumerable.Range(0, 200).Select(static i => $"{i}")]);
        JsonElement report = (await ConsoleRun.Of(
            $"trace {loop.Path} {once.Path} --capacity-fraction 0.01,0.29,1 --policies lru,opt --json")).Json();
        JsonElement[] rows = [.. report.GetProperty("rows").EnumerateArray()];
        Assert.Equal([10, 29, 100, 10, 58, 200], rows.Select(static row => row.GetProperty("capacity").GetInt32()));
        Assert.Equal(0, RatioOf(rows[1], "lru"));
        Assert.InRange(RatioOf(rows[1], "opt"), 20, 29);
        double[] differences = [.. rows.Select(static row => row.GetProperty("hitRatioPercent").GetDouble() - RatioOf(row, "lru"))];
        Assert.Equal(differences.Average(), report.GetProperty("meanDifferencePoints").GetDouble(), tolerance: 0.002);
        Assert.Equal(differences.Min(), report.GetProperty("worstDifferencePoints").GetDouble(), tolerance: 0.002);
    }

    [Fact]
    public async Task The_table_for_people_has_a_line_for_each_row_and_the_worst()
    {
        using var file = CatalogText.Of([.. Enumerable.Range(0, 3000).Select(static i => $"{i % 100}")]);
        ConsoleRun run = await ConsoleRun.Of($"trace {file.Path} --capacity-fraction 0.1,0.25");
        Assert.Equal(0, run.ExitCode);
        string[] parts =
            ["lru", "s3fifo", "concurrentlfu", "opt", "Difference points", "0.25", "Mean difference points", "Worst difference points"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
    }

    [Fact]
    public async Task Threads_share_the_accesses()
    {
        ConsoleRun run = await ConsoleRun.Of("trace synthetic:shift --capacity-fraction 0.1 --threads 3 --policies lru --json");
        JsonElement report = run.Json();
        JsonElement row = Assert.Single(report.GetProperty("rows").EnumerateArray());
        Assert.Equal((1_000_000, 3), (row.GetProperty("accesses").GetInt32(), report.GetProperty("threads").GetInt32()));
        Assert.InRange(row.GetProperty("hitRatioPercent").GetDouble(), RatioOf(row, "lru") / 2, 100);
    }

    // With capacity for all, table and policies have the same hits, in requests and in bytes.
    [Theory]
    [InlineData("--policies own,lru,s3fifo")]
    [InlineData("")]
    public async Task Sizes_count_as_the_file_has_them(string policies)
    {
        using var file = CatalogText.Of("time,key,size", "1,a,1000", "2,b,3000", "3,a,1000", "4,a,5000");
        JsonElement row = await RowOf($"trace {file.Path} --format csv --sizes --capacity-fraction 0.5 {policies} --json");
        Assert.Equal((1 << 20, JsonValueKind.Null), (row.GetProperty("capacityBytes").GetInt32(), row.GetProperty("capacity").ValueKind));
        Assert.Equal(["own", "lru", "s3fifo"], NamesOf(row.GetProperty("policies")));
        foreach (JsonElement ratios in row.GetProperty("policies").EnumerateObject().Select(static policy => policy.Value).Append(row))
        {
            Assert.Equal(50, ratios.GetProperty("hitRatioPercent").GetDouble());
            Assert.Equal(33.333, ratios.GetProperty("byteHitRatioPercent").GetDouble());
        }
    }

    [Fact]
    public async Task A_limit_in_bytes_is_a_share_of_what_all_entries_take()
    {
        JsonElement row = await RowOf("trace synthetic:shift --sizes --capacity-fraction 0.05 --policies lru --json");
        double bytesOfKey = row.GetProperty("capacityBytes").GetInt64() / 0.05 / row.GetProperty("distinctKeys").GetInt32();
        Assert.InRange(bytesOfKey, 500.0 * 32, 1.3 * 501 * 32);
        Assert.InRange(row.GetProperty("hitRatioPercent").GetDouble(), 1, 99);
        Assert.InRange(RatioOf(row, "lru"), 50, 90);
    }

    [Theory]
    [InlineData("", "--capacity N or --capacity-fraction F")]
    [InlineData("--capacity 1 --capacity-fraction 0.1", "--capacity N or --capacity-fraction F")]
    [InlineData("--capacity 0", "--capacity '0' is out of range")]
    [InlineData("--capacity-fraction 2", "--capacity-fraction '2' is out of range")]
    [InlineData("--capacity-fraction 0.1,x", "--capacity-fraction 'x' is out of range")]
    [InlineData("--capacity 5 --policies lru,fifo", "--policies 'fifo' is unknown")]
    [InlineData("--capacity 5 --format zip", "--format 'zip' is unknown")]
    [InlineData("--capacity 5 --sizes", "--capacity-fraction F")]
    [InlineData("--capacity-fraction 0.5 --sizes --policies opt", "--policies opt does not weigh")]
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
        (await ConsoleRun.Of("trace no-such-trace")).AssertRefused("'no-such-trace' does not exist");
        (await ConsoleRun.Of("trace synthetic:none --capacity 5")).AssertRefused("synthetic:none", "synthetic:zipf");
        using var directory = new TemporaryDirectory();
        (await ConsoleRun.Of($"trace {directory.Path} --capacity 5")).AssertRefused(directory.Path, "Name the files");
    }

    // The policies' figures are those of another program that simulates them.
    [TraceTheory]
    [MemberData(nameof(RecordedShares))]
    public async Task Recorded_accesses_are_hit_about_as_often_as_by_the_better_of_lru_and_s3_fifo(
        string trace, double share, double lru, double s3Fifo, double optimum)
    {
        JsonElement rows = await Recorded.GetOrAdd(trace, RunRecorded);
        JsonElement row = Assert.Single(rows.EnumerateArray(), row => row.GetProperty("capacityFraction").GetDouble() == share);
        Assert.Equal(lru, RatioOf(row, "lru"), Tolerance);
        Assert.Equal(s3Fifo, RatioOf(row, "s3fifo"), Tolerance);
        Assert.Equal(optimum, RatioOf(row, "opt"), Tolerance);
        Assert.InRange(row.GetProperty("hitRatioPercent").GetDouble(), Math.Max(lru, s3Fifo) - AllowedBelow, 100);
    }

    [Fact]
    public void A_trace_is_measured_without_the_command_too()
    {
        Trace trace = SyntheticTrace.Make("synthetic:zipf", seed: 5);
        trace = trace with { Accesses = trace.Accesses[..100_000] };
        PolicyFigures figures = PolicyTable.Measure(trace, 0.02, PolicyKinds.All);
        Assert.Equal(trace.DistinctKeys / 50, figures.Capacity);
        Assert.Equal(100_000, figures.Table.Hits.Accesses);
        Assert.Equal(PolicyKinds.All, figures.Policies.Keys.Order());
        Assert.All(figures.Policies.Values, hits => Assert.InRange(hits.Hits, 1, figures.Policies[PolicyKind.Optimum].Hits));
        Assert.InRange(figures.DifferencePoints!.Value, -20, 5);
        Assert.Equal(
            figures.Table.Hits.HitPercent,
            figures.DifferencePoints.Value + PolicyKinds.Rivals.Max(kind => figures.Policies[kind].HitPercent), Tolerance);
    }

    // Each trace is read once, for all its shares.
    private static async Task<JsonElement> RunRecorded(string trace)
    {
        string shares = trace == Longest && !TestLeg.IsLong ? "0.01" : "0.01,0.05,0.1";
        string load = $"trace {TraceTheoryAttribute.PathOf(trace)} --capacity-fraction {shares} --policies lru,s3fifo,opt --json";
        return (await ConsoleRun.Of(load)).Json().GetProperty("rows");
    }

    private static async Task<JsonElement> RowOf(string commandLine) =>
        Assert.Single((await ConsoleRun.Of(commandLine)).Json().GetProperty("rows").EnumerateArray());

    private static double RatioOf(JsonElement row, string policy) =>
        row.GetProperty("policies").GetProperty(policy).GetProperty("hitRatioPercent").GetDouble();

    private static string[] NamesOf(JsonElement element) => [.. element.EnumerateObject().Select(static field => field.Name)];

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
