using System;
using System.IO;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Tests;

/// <summary>A run of the console inside the test's process, and what it printed.</summary>
internal sealed record ConsoleRun(int ExitCode, string Output, string Error)
{
    internal static async Task<ConsoleRun> Of(string commandLine, CancellationToken stop = default)
    {
        using var output = new StringWriter();
        using var error = new StringWriter();
        int exitCode = await PerfApp.RunAsync(commandLine.Split(' ', StringSplitOptions.RemoveEmptyEntries), output, error, stop);
        return new ConsoleRun(exitCode, output.ToString(), error.ToString());
    }

    /// <summary>The output as the one JSON object that it must be.</summary>
    internal JsonElement Json() => Json(JsonValueKind.Object);

    /// <summary>The output as the one JSON array that it must be.</summary>
    internal JsonElement JsonArray() => Json(JsonValueKind.Array);

    /// <summary>Asserts that the run failed with a sentence, and printed nothing else.</summary>
    internal void AssertRefused(params string[] parts)
    {
        Assert.Equal(PerfApp.Failed, ExitCode);
        Assert.Equal("", Output);
        foreach (string part in parts)
            Assert.Contains(part, Error);
        Assert.DoesNotContain("   at ", Error);
    }

    private JsonElement Json(JsonValueKind kind)
    {
        Assert.Equal("", Error);
        Assert.Equal(0, ExitCode);
        using JsonDocument document = JsonDocument.Parse(Output);
        Assert.Equal(kind, document.RootElement.ValueKind);
        return document.RootElement.Clone();
    }
}
