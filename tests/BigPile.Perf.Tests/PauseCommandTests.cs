using System;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Pauses;
using BigPile.Perf.Payloads;
using BigPile.Perf.Restarts;

namespace BigPile.Perf.Tests;

public sealed class PauseCommandTests
{
    [Theory]
    [InlineData("heap", 1, 100, 300)]
    [InlineData("heap", 3, 100, 300)]
    [InlineData("pile", 2, 50, 120)]
    public void It_tells_pauses_and_what_an_object_takes(string holder, int threads, double leastBytes, double mostBytes)
    {
        // In a process of its own: what other tests have on the managed heap comes and goes.
        string command = $"pause --holder {holder} --count 20000 --seconds 1 --threads {threads} --json";
        using var process = WorkerProcess.Start(command.Split(' '));
        JsonElement report = JsonSerializer.Deserialize<JsonElement>(process.ReadLine());
        process.WaitUntilDone();
        Assert.Equal(holder, report.GetProperty("holder").GetString());
        Assert.Equal((20_000, threads), (report.GetProperty("count").GetInt32(), report.GetProperty("threads").GetInt32()));
        Assert.InRange(report.GetProperty("bytesPerObject").GetDouble(), leastBytes, mostBytes);
        Measured.AssertAbove0(report, "seconds", "replacesPerSecond", "fullCollectionMs");
        Assert.InRange(report.GetProperty("collections").GetInt32(), 0, 1_000_000);
        Measured.AssertNotNegative(report, "longestPauseMs");
    }

    [Fact]
    public async Task A_table_for_people_has_the_pauses()
    {
        ConsoleRun run = await ConsoleRun.Of("pause --count 1 --seconds 1");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts = ["pile", "Longest pause", "Full collection", "Bytes per object"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
    }

    [Fact]
    public void A_collection_between_two_looks_is_found()
    {
        var meter = new PauseMeter();
        GC.Collect();
        meter.Sample();
        Assert.InRange(meter.Collections, 1, int.MaxValue);
        Measured.AssertAbove0(meter.LongestMs);
    }

    [Fact]
    public void A_person_that_came_back_as_another_one_ends_the_load()
    {
        var options = new PauseOptions { Count = 1000, Seconds = 1, Threads = 1 };
        using var load = new PauseLoad(options, new ForgetfulHolder(), new NoProgress(), CancellationToken.None);
        LoadException error = Assert.Throws<LoadException>(() => load.Run(0));
        Assert.Contains("came back as another one", error.Message);
    }

    [Theory]
    [InlineData("--holder stack", "--holder 'stack' is unknown", "heap or pile")]
    [InlineData("--seconds 0", "--seconds '0' is out of range", "from 1 to 3600")]
    [InlineData("--count 2000000000 --holder heap", "--count 2000000000 of --holder heap needs", "Lower --count")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string remedy) =>
        (await ConsoleRun.Of($"pause {options}")).AssertRefused(thing, remedy);

    [Fact]
    public async Task A_load_that_is_stopped_says_so()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        ConsoleRun run = await ConsoleRun.Of("pause --json", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
    }

    private sealed class ForgetfulHolder : IObjectHolder
    {
        public long NativeBytes => 0;

        public void Set(int number, Person person)
        {
        }

        public Person Get(int number) => PersonMaker.Make(7);

        public void Dispose()
        {
        }
    }
}
