using System.Diagnostics;

namespace BigPile.Files.Tests;

/// <summary>Starts this assembly's program as another process.</summary>
internal static class Child
{
    internal static Process Start(params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.ArgumentList.Add("exec");
        start.ArgumentList.Add(typeof(Child).Assembly.Location);
        foreach (string argument in arguments)
            start.ArgumentList.Add(argument);
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        return Process.Start(start)!;
    }

    /// <summary>Waits for its end.</summary>
    internal static (int ExitCode, string Output) Run(params string[] arguments)
    {
        using Process process = Start(arguments);
        _ = process.StandardError.ReadToEndAsync();
        string output = process.StandardOutput.ReadToEnd();
        Assert.True(process.WaitForExit(Eventually.Timeout), "The other process does not end.");
        return (process.ExitCode, output);
    }
}
