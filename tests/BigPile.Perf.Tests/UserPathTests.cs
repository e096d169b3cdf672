using System;
using System.IO;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

/// <summary>What the user names that can't be made, written or read is one line, before any load.</summary>
public sealed class UserPathTests : IDisposable
{
    private const string Mapped = "--store mapped --mebibytes 8 --dir";

    private readonly string _parent = Directory.CreateTempSubdirectory("bigpile-perf-tests-").FullName;

    public UserPathTests() => File.WriteAllText(Path.Combine(_parent, "file"), "kept");

    public void Dispose() => Directory.Delete(_parent, recursive: true);

    [Theory]
    [InlineData("limit --limit-mebibytes 1 --put-mebibytes 2 --spill")]
    [InlineData("insert --store mapped --count 1000 --dir")]
    [InlineData("scale " + Mapped)]
    [InlineData("latency " + Mapped)]
    [InlineData("restart --entries 1000 --dir")]
    [InlineData("sequence --count 1000 --directory")]
    [InlineData("soak --store mapped --operations 1000 --dir")]
    [InlineData("traffic --requests 1000 --dir")]
    public async Task A_directory_that_can_not_be_made(string command)
    {
        string path = Path.Combine(_parent, "file", "below");
        AssertOneLine(await ConsoleRun.Of($"{command} {path}"), OptionOf(command), path, "Name a directory");
    }

    [Theory]
    [InlineData("limit --limit-mebibytes 1 --put-mebibytes 2 --spill")]
    [InlineData("restart --entries 1000 --index-dir")]
    public async Task A_directory_in_which_nothing_can_be_made(string command)
    {
        if (OperatingSystem.IsLinux()) // where nobody may write there, whoever runs the tests
            AssertOneLine(await ConsoleRun.Of($"{command} /proc"), OptionOf(command), "'/proc' can't be used", "Name a directory");
    }

    [Theory]
    [InlineData("limit --spill", "--spill")]
    [InlineData("insert --store mapped --dir", "--dir")]
    [InlineData("scale --store mapped --dir", "--dir")]
    [InlineData("restart --dir", "--dir")]
    [InlineData("restart --entries 1000 --index-dir", "--index-dir")]
    [InlineData("sequence --directory", "--directory")]
    [InlineData("soak --store mapped --dir", "--dir")]
    [InlineData("traffic --dir", "--dir")]
    [InlineData("graph", "FILE")]
    [InlineData("trace", "FILE")]
    public async Task A_name_that_is_empty(string command, string name)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int exitCode = await PerfApp.RunAsync([.. command.Split(' '), ""], output, error, default);
        AssertOneLine(new ConsoleRun(exitCode, output.ToString(), error.ToString()), $"{name} is empty");
    }

    /// <summary>Nor is another option complained of, nor a load run before.</summary>
    [Theory]
    [InlineData("trace {0}")]
    [InlineData("trace {0} --capacity 10")]
    [InlineData("trace synthetic:zipf {0} --capacity 10")]
    public async Task A_trace_that_is_not_there(string command)
    {
        string missing = Path.Combine(_parent, "missing");
        string[] parts = [$"'{missing}' does not exist", "Name a file"];
        AssertOneLine(await ConsoleRun.Of(string.Format(null, command, missing)), parts);
    }

    private static string OptionOf(string command) => command[(command.LastIndexOf(' ') + 1)..];

    private static void AssertOneLine(ConsoleRun run, params string[] parts)
    {
        run.AssertRefused(parts);
        Assert.Single(run.Error.TrimEnd().Split('\n'));
    }
}
