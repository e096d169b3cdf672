using System;
using System.Linq;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace BigPile.Benchmarks;

/// <summary>How long each benchmark is measured: shortly for a look, with <c>--long</c> for a figure to quote.</summary>
internal static class Jobs
{
    private const string Long = "--long";
    private const string Once = "--once";

    // Filling a table of ten million entries belongs to it.
    private static readonly TimeSpan Patience = TimeSpan.FromHours(1);

    /// <summary>The job that the arguments ask for.</summary>
    internal static IConfig ConfigFor(string[] arguments)
    {
        Job job = arguments.Contains(Long) ? Job.Default.WithId("Long")
            : arguments.Contains(Once) ? Job.Dry.WithId("Once")
            : Job.ShortRun.WithId("Short");

        // In-process: the projects' common output folder is not what the generated benchmark projects expect.
        return DefaultConfig.Instance.AddJob(job.WithToolchain(new InProcessEmitToolchain(Patience, logOutput: true)));
    }

    /// <summary>The arguments that are BenchmarkDotNet's own.</summary>
    internal static string[] Without(string[] arguments) => [.. arguments.Where(static argument => argument is not (Long or Once))];
}
