using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Copies;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Tests;

public sealed class CopyCommandTests
{
    private const string Small = "copy --repetitions 1 --milliseconds 1 --pool-mebibytes 32";

    private static readonly string[] CopyFields = ["way", "place", "sizeBytes", "nsPerCopy", "gigabytesPerSecond", "ofLimit"];

    private static readonly string[] MemoryFields = ["memory", "allocateUs", "firstWriteUs", "freeUs"];

    private static readonly string[] Memories = ["Managed array", "Marshal.AllocHGlobal", "Marshal.AllocCoTaskMem", "NativeMemory.Alloc"];

    [Fact]
    public async Task Each_way_has_its_figures_at_each_place_and_the_limit_is_the_last()
    {
        JsonElement report = (await ConsoleRun.Of($"{Small} --json")).Json();
        Assert.Equal(1, report.GetProperty("repetitions").GetInt32());
        Measured.AssertAbove0(report, "pointerOfLimit", "pointerTimesAccessor");
        JsonElement[] copies = [.. report.GetProperty("copies").EnumerateArray()];
        Assert.Equal(CopyMeter.All.Length * CopyPlace.All.Length, copies.Length);
        Assert.All(copies, AssertCopy);
        Assert.All(copies[^CopyPlace.All.Length..], row => Assert.Contains("memcpy", row.GetProperty("way").GetString()));
        Assert.All(copies[^CopyPlace.All.Length..], static row => Assert.Equal(1, row.GetProperty("ofLimit").GetDouble()));
        JsonElement[] memories = [.. report.GetProperty("memories").EnumerateArray()];
        Assert.Equal(Memories, memories.Select(static row => row.GetProperty("memory").GetString()));
        Assert.All(memories, static row => Assert.Equal(MemoryFields, row.EnumerateObject().Select(static field => field.Name)));
    }

    [Fact]
    public async Task A_table_for_people_says_what_the_library_uses()
    {
        ConsoleRun run = await ConsoleRun.Of(Small);
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] ways = [.. CopyMeter.All.Select(static meter => meter.Name)];
        string[] parts = [.. ways, .. Memories, "cache", "imageMemory", "Pointer times accessor"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
    }

    [Fact]
    public void A_way_that_leaves_bytes_out_is_found()
    {
        using var buffers = new CopyBuffers(CopyOptions.MinPoolMebibytes << 20);
        foreach (CopyMeter meter in CopyMeter.All)
            meter.Check(buffers);
        LoadException error = Assert.Throws<LoadException>(() => new CopyMeter<ShortWay>().Check(buffers));
        Assert.Contains("'short' came out changed", error.Message);
    }

    [Theory]
    [InlineData(new[] { 3.0 }, 3, 3, 3)]
    [InlineData(new[] { 4.0, 1 }, 2.5, 1, 4)]
    [InlineData(new[] { 9.0, 1, 2 }, 2, 1, 9)]
    public void The_median_is_the_middle_one(double[] figures, double median, double lowest, double highest) =>
        Assert.Equal(new Spread(median, lowest, highest), Spread.Of(figures, digits: 1));

    [Theory]
    [InlineData("--repetitions 0", "--repetitions '0' is out of range", "from 1 to 1000")]
    [InlineData("--milliseconds x", "--milliseconds 'x' is out of range", "from 1 to 10000")]
    [InlineData("--pool-mebibytes 31", "--pool-mebibytes '31' is out of range", "from 32 to 1024")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"copy {options}")).AssertRefused(thing, limit);

    [Fact]
    public async Task A_load_that_is_stopped_says_so()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of($"{Small} --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
    }

    private static void AssertCopy(JsonElement row)
    {
        Assert.Equal(CopyFields, row.EnumerateObject().Select(static field => field.Name));
        JsonElement ns = row.GetProperty("nsPerCopy");
        Measured.AssertAbove0(ns, "median");
        Assert.Equal(ns.GetProperty("lowest").GetDouble(), ns.GetProperty("highest").GetDouble());
        Measured.AssertAbove0(row, "gigabytesPerSecond", "ofLimit");
    }

    private readonly struct ShortWay : ICopyWay
    {
        public static string Name => "short";

        public static bool IsBack => false;

        public static void Copy(CopyBuffers buffers, int at, int lengthBytes) => PointerWay.Copy(buffers, at, lengthBytes - 1);
    }
}
