using System;
using System.Linq;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace BigPile.Benchmarks;

/// <summary>How long each benchmark is measured: briefly by default, with <c>--long</c> for figures to quote.</summary>
internal static class Jobs
{
    private const string Long = "--long";
    private const string Once = "--once";

    /// <summary>Whether everything runs once, to see that it runs: with less in it.</summary>
    private static readonly bool IsOnce = Environment.GetCommandLineArgs().Contains(Once);

    // Includes filling a table of ten million entries.
    private static readonly TimeSpan Timeout = TimeSpan.FromHours(1);

    /// <summary>The job that the arguments ask for.</summary>
    /// <remarks>A job named by the arguments, as by <c>--job Dry</c>, replaces ours.</remarks>
    internal static IConfig ConfigFor(string[] arguments)
    {
        // In-process: the projects' common output folder is not what the generated benchmark projects expect.
        Job inProcess = new Job().WithToolchain(new InProcessEmitToolchain(Timeout, logOutput: true)).AsMutator();
        IConfig config = DefaultConfig.Instance.AddJob(inProcess);
        if (arguments.Any(static argument => argument is "--job" or "-j" || argument.StartsWith("--job=", StringComparison.Ordinal)))
            return config;
        Job job = arguments.Contains(Long) ? Job.Default.WithId("Long")
            : arguments.Contains(Once) ? Job.Dry.WithId("Once")
            : Job.ShortRun.WithId("Short");

        return config.AddJob(job);
    }

    /// <summary>So many, or a hundredth where everything runs once.</summary>
    internal static int Sized(int count) => IsOnce ? count / 100 : count;

    /// <summary>The arguments that are BenchmarkDotNet's own.</summary>
    internal static string[] Without(string[] arguments) => [.. arguments.Where(static argument => argument is not (Long or Once))];
}
