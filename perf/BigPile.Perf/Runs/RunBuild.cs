using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.InteropServices;

namespace BigPile.Perf.Runs;

/// <summary>What this console was built from, and where it runs.</summary>
internal static class RunBuild
{
    private const string ProcessorsPath = "/proc/cpuinfo";

    /// <summary>The commit, as the build wrote it into the program's version behind a plus sign.</summary>
    internal static string Commit
    {
        get
        {
            string? version = typeof(RunBuild).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
            int plus = version?.IndexOf('+', StringComparison.Ordinal) ?? -1;
            return plus < 0 ? "unknown" : version![(plus + 1)..];
        }
    }

    internal static RunMachine Machine() => new()
    {
        Processor = Processor(),
        Cores = Environment.ProcessorCount,
        MemoryBytes = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        System = RuntimeInformation.OSDescription,
        Runtime = RuntimeInformation.FrameworkDescription,
        Collector = Reports.Machine.Collector,
    };

    private static string Processor()
    {
        const string Key = "model name";
        string? line = File.Exists(ProcessorsPath)
            ? File.ReadLines(ProcessorsPath).FirstOrDefault(static line => line.StartsWith(Key, StringComparison.Ordinal))
            : Environment.GetEnvironmentVariable("PROCESSOR_IDENTIFIER");
        string name = line?[(line.IndexOf(':', StringComparison.Ordinal) + 1)..].Trim() ?? "";
        return name.Length == 0 ? RuntimeInformation.ProcessArchitecture.ToString() : name;
    }
}
