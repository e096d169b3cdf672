using System;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

public sealed class SequenceCommandTests
{
    private static readonly string[] Fields =
        ["layer", "file", "threads", "setPerSecond", "getPerSecond", "removePerSecond", "fileBytes", "memoryBytes"];

    private static readonly string[] Kinds = ["std", "mmap-para", "mmap-atom", "pos-para", "pos-atom"];

    [Theory]
    [InlineData(1, 100)]
    [InlineData(2, 100)]
    [InlineData(3, 1)]
    [InlineData(2, 5000)]
    public async Task Of_files_it_is_an_array_of_a_row_for_each_kind(int threads, int size)
    {
        const int count = 2000;
        ConsoleRun run = await ConsoleRun.Of($"sequence --layer file --size {size} --count {count} --threads {threads} --json");
        JsonElement rows = run.JsonArray();
        Assert.Equal(Kinds, rows.EnumerateArray().Select(row => row.GetProperty("file").GetString()));
        Assert.All(rows.EnumerateArray(), row =>
        {
            Assert.Equal(Fields, row.EnumerateObject().Select(field => field.Name));
            Assert.Equal(("file", threads), (row.GetProperty("layer").GetString(), row.GetProperty("threads").GetInt32()));
            Measured.AssertAbove0(row, "setPerSecond", "getPerSecond");
            Assert.Equal(JsonValueKind.Null, row.GetProperty("removePerSecond").ValueKind);
            Assert.Equal((long)count * size, row.GetProperty("fileBytes").GetInt64());
            Assert.InRange(row.GetProperty("memoryBytes").GetInt64(), 0, 1L << 32);
        });
    }

    [Theory]
    [InlineData("std")]
    [InlineData("mmap-para")]
    [InlineData("mmap-atom")]
    [InlineData("pos-para")]
    [InlineData("pos-atom")]
    public async Task At_random_records_overlap_and_are_read_back_all_the_same(string kind)
    {
        ConsoleRun run = await ConsoleRun.Of($"sequence --layer file --file {kind} --count 3001 --threads 2 --random --json");
        JsonElement row = run.JsonArray()[0];
        Assert.Equal(kind, row.GetProperty("file").GetString());
        Assert.InRange(row.GetProperty("fileBytes").GetInt64(), 280_000, 300_100);
    }

    [Fact]
    public async Task Fewer_records_than_threads_are_fine()
    {
        JsonElement row = (await ConsoleRun.Of("sequence --layer file --file mmap-para --count 1 --threads 3 --json")).JsonArray()[0];
        Assert.Equal(100, row.GetProperty("fileBytes").GetInt64());
    }

    [Fact]
    public async Task A_table_for_people_has_a_line_for_each_kind()
    {
        ConsoleRun run = await ConsoleRun.Of("sequence --layer file --count 2000 --threads 2 --size 10");
        Assert.Equal((0, ""), (run.ExitCode, run.Error));
        string[] parts = [.. Kinds, "Set per second", "Get per second", "file bytes"];
        Assert.All(parts, part => Assert.Contains(part, run.Output));
        Assert.DoesNotContain("\u001b", run.Output);
    }

    [Theory]
    [InlineData("--layer x", "--layer 'x' is unknown", "file or hash")]
    [InlineData("--file x", "--file 'x' is unknown", "std, mmap-para, mmap-atom, pos-para, pos-atom or all")]
    [InlineData("--count 0", "--count '0' is out of range", "from 1 to 1000000000")]
    [InlineData("--threads 0", "--threads '0' is out of range", "from 1 to 1024")]
    [InlineData("--size 0", "--size '0' is out of range", "from 1 to 1048576")]
    [InlineData("--layer file --key-size 8", "--key-size means nothing to --layer file", "use --layer hash")]
    [InlineData("--layer file --value-size 8", "--value-size means nothing to --layer file", "use --layer hash")]
    [InlineData("--layer file --buckets 8", "--buckets means nothing to --layer file", "use --layer hash")]
    [InlineData("--layer hash --size 8", "--size means nothing to --layer hash", "use --layer file")]
    [InlineData("--count 1000000000 --size 1048576", "--count 1000000000 of --size 1048576 needs", "--directory on a larger disk")]
    public async Task Bad_input_is_refused_with_the_option_and_the_limit(string options, string thing, string limit) =>
        (await ConsoleRun.Of($"sequence {options}")).AssertRefused(thing, limit);

    [Fact]
    public async Task A_directory_with_something_in_it_is_refused_and_left_alone()
    {
        DirectoryInfo directory = Directory.CreateTempSubdirectory("bigpile-perf-tests-");
        string file = Path.Combine(directory.FullName, "sequence");
        await File.WriteAllTextAsync(file, "kept");
        (await ConsoleRun.Of($"sequence --count 10 --directory {directory.FullName}")).AssertRefused("--directory", "is not empty");
        Assert.Equal("kept", await File.ReadAllTextAsync(file));
        directory.Delete(recursive: true);
    }

    [Fact]
    public async Task A_load_that_is_stopped_says_so_and_leaves_nothing()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        string directory = Path.Combine(Path.GetTempPath(), $"bigpile-perf-tests-{Guid.NewGuid():N}");
        ConsoleRun run = await ConsoleRun.Of($"sequence --count 1000 --json --directory {directory}", stop.Token);
        Assert.Equal((PerfApp.Stopped, ""), (run.ExitCode, run.Output));
        Assert.False(Directory.Exists(directory));
    }
}
