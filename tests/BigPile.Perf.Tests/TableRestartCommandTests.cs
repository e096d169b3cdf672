using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class TableRestartCommandTests : IDisposable
{
    private const int Entries = 20_000;

    private static readonly string[] Fields =
    [
        "entries", "valueBytes", "reservedBytes", "indexBytes", "indexDirectory", "fillSeconds", "closeSeconds", "rounds", "afterClose",
        "afterKill", "withoutIndex",
    ];

    private static readonly string[] Parts = ["openMs", "cacheMs", "tableMs", "firstGetMs", "sumMs", "firstPutMs"];

    private static readonly string[] Inspection = ["inspectionSeconds", "inspectedPerSecond"];

    private static readonly string[] Walk = ["walkSeconds", "walkedPerSecond"];

    private readonly string _parent = Directory.CreateTempSubdirectory("bigpile-perf-tests-").FullName;

    public void Dispose() => Directory.Delete(_parent, recursive: true);

    [Fact]
    public async Task Each_way_to_open_has_its_figures()
    {
        string directory = Path.Combine(_parent, "pile");
        JsonElement report = (await ConsoleRun.Of($"restart --entries {Entries} --dir {directory} --json")).Json();
        Assert.Equal(Fields, report.EnumerateObject().Select(static field => field.Name));
        Assert.Equal((Entries, 60), (report.GetProperty("entries").GetInt32(), report.GetProperty("valueBytes").GetInt32()));
        Assert.Equal(JsonValueKind.Null, report.GetProperty("indexDirectory").ValueKind);
        Assert.InRange(report.GetProperty("indexBytes").GetInt64(), Entries * 8, Entries * 100);
        AssertFigures(report, "afterClose", least: 0, Parts, [.. Inspection, .. Walk]);
        AssertFigures(report, "afterKill", least: 1, [.. Parts, .. Inspection], Walk); // and what the killed process had put
        AssertFigures(report, "withoutIndex", least: 0, [.. Parts, .. Walk], Inspection);
        Assert.Empty(Directory.EnumerateFileSystemEntries(_parent));
    }

    [Fact]
    public async Task A_table_for_people_has_the_figures_and_the_index_lies_where_it_was_asked_for()
    {
        ConsoleRun run = await ConsoleRun.Of($"restart --entries 1000 --value-bytes 9 --index-dir {_parent}");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts =
        [
            "1,000", "restart: after close", "New process", "Same process", "restart: after kill", "First get",
            "Inspection seconds", "restart: without index", "Walked per second",
        ];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
        Assert.Empty(Directory.EnumerateFileSystemEntries(_parent));
    }

    [Theory]
    [InlineData("--entries 0", "--entries '0' is out of range", "from 1 to 1000000000")]
    [InlineData("--entries 5 --value-bytes 7", "--value-bytes '7' is out of range", "from 8 to")]
    [InlineData("--entries 5 --index-dir missing-directory", "--index-dir 'missing-directory' does not exist", "Name a directory")]
    public async Task Bad_input_is_refused(string options, string thing, string remedy) =>
        (await ConsoleRun.Of($"restart {options}")).AssertRefused(thing, remedy);

    [Fact]
    public async Task A_load_that_is_stopped_says_so_and_leaves_nothing()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        string directory = Path.Combine(_parent, "stopped");
        ConsoleRun run = await ConsoleRun.Of($"restart --entries 1000 --json --dir {directory}", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
        Assert.Empty(Directory.EnumerateFileSystemEntries(_parent));
    }

    private static void AssertFigures(JsonElement report, string way, int least, string[] present, string[] absent)
    {
        foreach (string process in new[] { "newProcess", "sameProcess" })
        {
            JsonElement figures = report.GetProperty(way).GetProperty(process);
            Measured.AssertNotNegative(figures, present);
            Assert.All(absent, name => Assert.Equal(JsonValueKind.Null, figures.GetProperty(name).ValueKind));
            Assert.InRange(figures.GetProperty("entryCount").GetInt64(), Entries, Entries * 10);
            Assert.InRange(figures.GetProperty("comparedCount").GetInt64(), Entries / 1000 + least, Entries * 10);
        }
    }
}
