using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

public sealed class DirectoryTests : IDisposable
{
    private readonly string _parent = Directory.CreateTempSubdirectory("bigpile-perf-tests-").FullName;

    public void Dispose() => Directory.Delete(_parent, recursive: true);

    [Fact]
    public async Task A_temporary_directory_is_gone_afterwards()
    {
        ConsoleRun run = await ConsoleRun.Of("insert --store mapped --count 2000 --json");
        string directory = run.Json().GetProperty("directory").GetString()!;
        Assert.StartsWith(Path.GetTempPath(), directory);
        Assert.False(Directory.Exists(directory));
    }

    [Fact]
    public async Task A_missing_directory_is_made_and_gone_afterwards()
    {
        string directory = Path.Combine(_parent, "new");
        ConsoleRun run = await ConsoleRun.Of($"insert --store mapped --count 2000 --json --dir {directory}");
        Assert.Equal(directory, run.Json().GetProperty("directory").GetString());
        Assert.False(Directory.Exists(directory));
    }

    [Fact]
    public async Task An_empty_directory_stays_and_is_empty_afterwards()
    {
        ConsoleRun run = await ConsoleRun.Of($"insert --store mapped --count 2000 --json --dir {_parent}");
        Assert.Equal(_parent, run.Json().GetProperty("directory").GetString());
        Assert.Empty(Directory.EnumerateFileSystemEntries(_parent));
    }

    [Fact]
    public async Task A_directory_with_something_in_it_is_refused_and_left_alone()
    {
        string file = Path.Combine(_parent, "precious");
        await File.WriteAllTextAsync(file, "kept");
        ConsoleRun run = await ConsoleRun.Of($"insert --store mapped --count 2000 --dir {_parent}");
        run.AssertRefused($"--dir '{_parent}' is not empty", "Name a directory");
        Assert.Equal("kept", await File.ReadAllTextAsync(file));
    }

    [Fact]
    public async Task A_file_is_refused()
    {
        string file = Path.Combine(_parent, "file");
        await File.WriteAllTextAsync(file, "kept");
        ConsoleRun run = await ConsoleRun.Of($"insert --store mapped --count 2000 --dir {file}");
        run.AssertRefused($"--dir '{file}' is a file");
    }

    [Theory]
    [InlineData("first put")]
    [InlineData("warm up: enumerate")]
    [InlineData("get in sequence")]
    [InlineData("read everything back")]
    public void A_load_that_is_stopped_in_a_phase_leaves_nothing(string phase)
    {
        using var stop = new CancellationTokenSource();
        string directory = Path.Combine(_parent, "stopped");
        var options = new InsertOptions { Store = StoreKind.Mapped, Count = 2000, Threads = 2, Directory = directory };
        Assert.ThrowsAny<OperationCanceledException>(() => InsertRunner.Run(options, new StopAt(phase, stop), stop.Token));
        Assert.True(stop.IsCancellationRequested);
        Assert.False(Directory.Exists(directory));
    }

    [Fact]
    public async Task A_load_that_is_stopped_says_so_and_leaves_nothing()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        string directory = Path.Combine(_parent, "stopped");
        ConsoleRun run = await ConsoleRun.Of($"insert --store mapped --count 2000 --json --dir {directory}", stop.Token);
        Assert.Equal(PerfApp.Stopped, run.ExitCode);
        Assert.Equal("", run.Output);
        Assert.Contains("Stopped", run.Error);
        Assert.False(Directory.Exists(directory));
    }

    private sealed class StopAt(string phaseToStop, CancellationTokenSource stop) : ILoadProgress
    {
        public void Begin(string phase, long total)
        {
            if (phase == phaseToStop)
                stop.Cancel();
        }

        public void Report(long done)
        {
        }
    }
}
