using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using Xunit.Abstractions;

namespace BigPile.Tests.CrossProcess;

/// <summary>Every kind of value is put by one process and read by another one that has put nothing.</summary>
public sealed class KindsTests(ITestOutputHelper output) : IDisposable
{
    private const int FewestKinds = 1_600;

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Fact]
    public void What_one_process_put_another_one_that_only_reads_gets_equal_or_the_put_was_refused()
    {
        Run("write");
        string[][] results = [.. Run("read").Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(line => line.Split('\t'))];
        foreach (IGrouping<string, string[]> group in results.GroupBy(result => result[1]))
            output.WriteLine($"{group.Key}: {group.Count()}");
        Assert.True(results.Length >= FewestKinds, $"Only {results.Length} kinds were tried.");
        string other = string.Join('\n', results.Where(result => result[1] == "other").Select(result => $"{result[2]}: {result[3]}"));
        Assert.True(other.Length == 0, other);
        Assert.All(results.Where(result => result[1] == "refused"), result =>
            Assert.Contains(Remedies, remedy => result[3].Contains(remedy, StringComparison.OrdinalIgnoreCase)));
    }

    /// <summary>The words of the messages that say what to do instead.</summary>
    private static IEnumerable<string> Remedies =>
        ["Allow", "NonSerialized", "store ", "hold ", "use ", "put ", "make it internal", "Remove a key"];

    private string Run(string verb)
    {
        string program = SourceTree.OutputOf("BigPile.Kinds", "BigPile.Kinds.dll");
        using Process process =
            Process.Start(new ProcessStartInfo("dotnet", [program, verb, _directory.Path]) { RedirectStandardOutput = true })!;
        string text = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        Assert.Equal(0, process.ExitCode);
        return text;
    }
}
