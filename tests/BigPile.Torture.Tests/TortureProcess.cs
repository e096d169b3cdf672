using System;
using System.Diagnostics;
using System.IO;
using System.Threading.Tasks;

namespace BigPile.Torture.Tests;

/// <summary>A run of the torture, and what it printed.</summary>
internal sealed record TortureProcess(int ExitCode, string Output, string Error)
{
    private static readonly TimeSpan Timeout = TimeSpan.FromMinutes(20);

    // Built beside the tests, in the same configuration.
    private static string Program =>
        Path.Combine(SourceTree.Root, "artifacts", "bin", "BigPile.Torture", Configuration, "BigPile.Torture.dll");

    private static string Configuration => Path.GetFileName(Path.TrimEndingDirectorySeparator(AppContext.BaseDirectory));

    internal static async Task<TortureProcess> RunAsync(string arguments, string? directory = null)
    {
        var start = new ProcessStartInfo("dotnet") { RedirectStandardOutput = true, RedirectStandardError = true };
        start.ArgumentList.Add(Program);
        foreach (string argument in arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            start.ArgumentList.Add(argument);
        if (directory != null)
        {
            start.ArgumentList.Add("--directory");
            start.ArgumentList.Add(directory);
        }
        using Process process = Process.Start(start)!;
        try
        {
            Task<string> output = process.StandardOutput.ReadToEndAsync();
            Task<string> error = process.StandardError.ReadToEndAsync();
            await process.WaitForExitAsync().WaitAsync(Timeout);
            return new TortureProcess(process.ExitCode, await output, await error);
        }
        finally
        {
            if (!process.HasExited)
                process.Kill();
        }
    }
}
