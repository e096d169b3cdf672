using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class PortsCommandTests
{
    private const string SharedMemory = "/dev/shm";

    private static readonly string[] Fields =
    [
        "way", "sizeBytes", "receivers", "roundTripUsP50", "roundTripUsP99", "messagesPerSecond", "senderNsPerMessage",
        "payloadNsPerMessage",
    ];

    private static readonly string[] Ways = ["port-spin", "port-default", "port-sleep", "tcp", "udp", "unix", "pipe"];

    // Each size and receiver is a process more in each of seven ways: the short leg has one of each.
    public static TheoryData<int> RoundTrips => TestLeg.IsLong ? [16, 4100, 65_536] : [65_536];

    public static TheoryData<int, int> Streams => TestLeg.IsLong
        ? new() { { 16, 1 }, { 16, 2 }, { 100, 3 }, { 131_072, 1 } }
        : new() { { 131_072, 1 } };

    public static TheoryData<int, int> Multicasts => TestLeg.IsLong ? new() { { 64, 1 }, { 65_536, 2 } } : new() { { 64, 1 } };

    [Theory]
    [MemberData(nameof(RoundTrips))]
    public async Task Round_trips_have_their_times_in_every_way(int sizeBytes)
    {
        JsonElement rows = (await ConsoleRun.Of($"ports --mode roundtrip --size {sizeBytes} --count 100 --json")).JsonArray();
        AssertRows(rows, sizeBytes, receivers: 1);
        Assert.All(rows.EnumerateArray(), static row =>
        {
            double median = row.GetProperty("roundTripUsP50").GetDouble();
            Measured.AssertAbove0(median);
            Assert.InRange(row.GetProperty("roundTripUsP99").GetDouble(), median, double.MaxValue);
            AssertNull(row, "senderNsPerMessage", "payloadNsPerMessage");
        });
    }

    [Theory]
    [MemberData(nameof(Streams))]
    public async Task Streams_have_the_rate_and_what_a_message_costs_the_sender(int sizeBytes, int receivers)
    {
        JsonElement rows =
            (await ConsoleRun.Of($"ports --mode stream --size {sizeBytes} --receivers {receivers} --count 400 --json")).JsonArray();
        AssertRows(rows, sizeBytes, receivers);
        Assert.All(rows.EnumerateArray(), static row =>
        {
            Measured.AssertAbove0(row, "senderNsPerMessage");
            AssertNull(row, "roundTripUsP50", "roundTripUsP99", "payloadNsPerMessage");
        });
    }

    [Theory]
    [MemberData(nameof(Multicasts))]
    public async Task A_multicast_has_the_senders_cost_beside_that_of_the_payload(int sizeBytes, int receivers)
    {
        JsonElement rows =
            (await ConsoleRun.Of($"ports --mode multicast --size {sizeBytes} --receivers {receivers} --count 300 --json")).JsonArray();
        AssertRows(rows, sizeBytes, receivers);
        Assert.All(rows.EnumerateArray(), static row =>
        {
            Measured.AssertAbove0(row, "senderNsPerMessage", "payloadNsPerMessage");
            AssertNull(row, "roundTripUsP50", "roundTripUsP99");
        });
    }

    [Fact]
    public async Task Several_sizes_and_numbers_of_receivers_go_in_one_call_and_nothing_is_left()
    {
        string[] before = Places();
        const string load = "ports --mode stream --size 16,100 --receivers 1,2 --way port-default,unix --count 50 --json";
        JsonElement rows = (await ConsoleRun.Of(load)).JsonArray();
        (string?, int, int)[] expected =
        [
            .. new[] { 16, 100 }.SelectMany(static size => new[] { 1, 2 }.SelectMany(
                receivers => new[] { "port-default", "unix" }.Select(way => ((string?)way, size, receivers)))),
        ];
        Assert.Equal(expected, rows.EnumerateArray().Select(static row => (
            row.GetProperty("way").GetString(), row.GetProperty("sizeBytes").GetInt32(), row.GetProperty("receivers").GetInt32())));
        await Eventually.TrueAsync(() => !Places().Except(before).Any()); // a load of another test may have its own there for a while
    }

    [Fact]
    public async Task A_table_for_people_has_a_line_for_each_way()
    {
        ConsoleRun run = await ConsoleRun.Of("ports --size 64 --count 100");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.All([.. Ways, "Round trip p50", "Messages per second"], part => Assert.Contains(part, run.Output));
    }

    [Fact]
    public async Task The_sender_may_have_a_core_of_its_own()
    {
        if (Environment.ProcessorCount == 1)
            return;
        ConsoleRun run = await ConsoleRun.Of("ports --mode stream --way port-sleep,tcp --count 100 --pin");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        Assert.Contains("Sender per message", run.Output);
    }

    [Theory]
    [InlineData("--mode x", "--mode 'x' is unknown", "roundtrip, stream or multicast")]
    [InlineData("--size 15", "--size '15' is out of range", "from 16 to 1048576")]
    [InlineData("--size 64,", "--size '64,' is out of range", "with commas between")]
    [InlineData("--receivers 1,33", "--receivers '1,33' is out of range", "from 1 to 32")]
    [InlineData("--count 0", "--count '0' is out of range", "from 1 to 1000000000")]
    [InlineData("--way tcp,post", "--way 'post' is unknown", "port-spin, port-default, port-sleep, tcp, udp, unix or pipe")]
    [InlineData("--size 131073", "--size 131073 is too large for udp", "Leave udp out by --way")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"ports {options}")).AssertRefused(thing, limit);

    [Fact]
    public async Task A_load_that_is_stopped_says_so_and_leaves_nothing()
    {
        string[] before = Places();
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of("ports --count 100 --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
        Assert.Equal(before, Places());
    }

    private static string[] Places() => [.. Directory.GetDirectories(SharedMemory, "bigpile-perf-ports-*").Order()];

    private static void AssertRows(JsonElement rows, int sizeBytes, int receivers)
    {
        Assert.Equal(Ways, rows.EnumerateArray().Select(static row => row.GetProperty("way").GetString()));
        Assert.All(rows.EnumerateArray(), row =>
        {
            Assert.Equal(Fields, row.EnumerateObject().Select(static field => field.Name));
            Assert.Equal((sizeBytes, receivers), (row.GetProperty("sizeBytes").GetInt32(), row.GetProperty("receivers").GetInt32()));
            Measured.AssertAbove0(row, "messagesPerSecond");
        });
    }

    private static void AssertNull(JsonElement row, params string[] fields) =>
        Assert.All(fields, field => Assert.Equal(JsonValueKind.Null, row.GetProperty(field).ValueKind));
}
