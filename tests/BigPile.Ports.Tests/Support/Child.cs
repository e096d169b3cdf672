using System;
using System.Diagnostics;
using System.IO;

namespace BigPile.Ports.Tests;

/// <summary>Starts this assembly's program as another process.</summary>
internal static class Child
{
    internal static Process Start(params string[] arguments)
    {
        string assembly = typeof(Child).Assembly.Location;
        var start = new ProcessStartInfo(OperatingSystem.IsWindows() ? Path.ChangeExtension(assembly, ".exe") : "dotnet")
        {
            RedirectStandardInput = true, // what reads from it waits until it is killed
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        if (!OperatingSystem.IsWindows())
        {
            start.ArgumentList.Add("exec");
            start.ArgumentList.Add(assembly);
        }
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
