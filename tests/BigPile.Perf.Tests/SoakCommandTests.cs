using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Soaking;

namespace BigPile.Perf.Tests;

public sealed class SoakCommandTests
{
    private const string Small = "soak --megabytes 16 --threads 2 --operations 100000 --seed 3";

    // One for the test of what was done and that of what lives.
    private static readonly Lazy<Task<JsonElement>> NativeRun = new(static () => RunOf("native"));

    private static readonly string[] Fields =
    [
        "store", "megabytes", "threads", "seed", "seconds", "operations", "perSecond", "operationsByKind", "errors", "errorExamples",
        "longestPauseMs", "mark", "end", "liveGrowthPercent", "processGrowthPercent", "privateGrowthPercent",
    ];

    [Theory]
    [InlineData("managed")]
    [InlineData("native")]
    [InlineData("mapped")]
    public async Task Everything_at_once_goes_without_an_error(string store)
    {
        JsonElement report = await (store == "native" ? NativeRun.Value : RunOf(store));
        Assert.Equal(Fields, report.EnumerateObject().Select(static field => field.Name));
        Assert.Equal(store, report.GetProperty("store").GetString());
        Assert.Equal((0, 0), (report.GetProperty("errors").GetInt64(), report.GetProperty("errorExamples").GetArrayLength()));
        long operations = report.GetProperty("operations").GetInt64();
        Assert.InRange(operations, 100_000, 200_000); // a batch or a walk may be the last one
        JsonProperty[] kinds = [.. report.GetProperty("operationsByKind").EnumerateObject()];
        Assert.Equal(Enum.GetNames<SoakKind>().Length, kinds.Length);
        Assert.All(kinds, static kind => Assert.True(kind.Value.GetInt64() > 0, kind.Name));
        Assert.Equal(operations, kinds.Sum(static kind => kind.Value.GetInt64()));
    }

    [Fact]
    public async Task Live_bytes_are_those_that_were_asked_for_and_stay_level()
    {
        JsonElement report = await NativeRun.Value;
        JsonElement[] ends = [report.GetProperty("mark"), report.GetProperty("end")];
        Assert.All(ends, static end => Assert.InRange(end.GetProperty("liveBytes").GetInt64(), 12_000_000, 20_000_000));
        Assert.All(ends, static end => Assert.True(
            end.GetProperty("liveBytes").GetInt64() < end.GetProperty("reservedBytes").GetInt64()
            && end.GetProperty("liveBytes").GetInt64() < end.GetProperty("processBytes").GetInt64()));
        Assert.InRange(report.GetProperty("liveGrowthPercent").GetDouble(), -15, 15);
    }

    [Fact]
    public async Task The_operations_follow_from_the_seed()
    {
        async Task<string> KindsOf(int seed) =>
            (await ConsoleRun.Of($"soak --megabytes 16 --threads 1 --operations 5000 --store native --seed {seed} --json"))
            .Json().GetProperty("operationsByKind").GetRawText();

        string first = await KindsOf(7);
        Assert.Equal(first, await KindsOf(7));
        Assert.NotEqual(first, await KindsOf(8));
    }

    [Fact]
    public async Task People_get_lines_and_tables()
    {
        ConsoleRun run = await ConsoleRun.Of("soak --megabytes 16 --operations 2000 --store native");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts =
        [
            "reserved MB", "\n00:", "Megabytes", "native", "Errors", "Longest pause", "End private bytes",
        ];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
    }

    [Fact]
    public async Task Nothing_of_a_mapped_pile_is_left_behind()
    {
        using var directory = new TemporaryDirectory();
        string place = Path.Combine(directory.Path, "soak");
        Assert.Equal(0, (await ConsoleRun.Of($"soak --megabytes 16 --operations 2000 --dir {place}")).ExitCode);
        Assert.False(Directory.Exists(place));
    }

    [Fact]
    public async Task A_soak_that_is_stopped_on_the_way_ends_with_its_summary()
    {
        using var stop = new CancellationTokenSource();
        using var output = new StringWriter();
        var command = new SoakCommand(output, _ => stop.Cancel());
        Assert.Equal(0, await command.Parse("--megabytes 16 --minutes 5 --store native --json").InvokeAsync(null, stop.Token));
        using JsonDocument report = JsonDocument.Parse(output.ToString());
        Assert.InRange(report.RootElement.GetProperty("seconds").GetDouble(), 0, 5 * 60);
    }

    [Fact]
    public async Task A_soak_that_is_stopped_before_it_begins_says_so()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of("soak --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
    }

    [Theory]
    [InlineData("--minutes 0", "--minutes '0' is out of range", "from 1 to 100000")]
    [InlineData("--operations x", "--operations 'x' is out of range", "from 1 to")]
    [InlineData("--minutes 1 --operations 1", "--minutes and --operations", "Leave one of them out")]
    [InlineData("--store foo", "--store 'foo' is unknown", "managed, native or mapped")]
    [InlineData("--store native --dir x", "--dir is for a mapped pile only", "--store mapped")]
    [InlineData("--threads 65", "--threads '65' is out of range", "from 1 to 64")]
    [InlineData("--megabytes 15", "--megabytes '15' is out of range", "from 16 to 200000")]
    [InlineData("--seed -1", "--seed '-1' is out of range", "from 0 to")]
    [InlineData("--megabytes 200000 --store native", "--megabytes 200000 needs 400,000,000,000 bytes of memory", "Lower --megabytes")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"soak {options}")).AssertRefused(thing, limit);

    private static async Task<JsonElement> RunOf(string store) => (await ConsoleRun.Of($"{Small} --store {store} --json")).Json();
}
