using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hosting;
using BigPile.AspNetCore.Tables;
using BigPile.Caching;
using BigPile.Http.Api;
using BigPile.Http.Protocol;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.Server.Hosting;

/// <summary>Logs at the start what the server holds and how to reach it.</summary>
internal static class StartReport
{
    /// <summary>Logs the addresses now, and the rest when the pile is ready.</summary>
    internal static async Task LogAsync(WebApplication app, StartTimes times)
    {
        ILogger logger = app.Services.GetRequiredService<ILoggerFactory>().CreateLogger("BigPile.Server");
        logger.LogInformation("BigPile listens on {Addresses}", string.Join(", ", app.Urls));
        PileHost host = app.Services.GetRequiredService<PileHost>();
        await host.Opening.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (host.Tables is not { } tables)
            return;
        try
        {
            LogReady(app, logger, host, tables, times);
        }
        catch (ObjectDisposedException) when (host.Stopping.IsCancellationRequested)
        {
            // The server was stopped meanwhile, and its pile is closed: that is reported where it is done.
        }
    }

    private static void LogReady(WebApplication app, ILogger logger, PileHost host, ServedTables tables, StartTimes times)
    {
        TimeProvider time = app.Services.GetRequiredService<TimeProvider>();
        IReadOnlyCollection<TableStatistics> found = StatsReport.StatisticsOf(tables.Cache).Values;
        logger.LogInformation(
            "The pile in {Place} is ready, {Seconds:F2} s after the start of the process; tables: {Tables:N0}, entries: {Entries:N0}",
            tables.Cache.Pile.DirectoryPath ?? "memory", SinceStart(time).TotalSeconds, found.Count,
            found.Sum(static table => table.EntryCount));
        foreach (string advice in DiskAdvice.Of(app.Services.GetRequiredService<ServerSettings>().Pile))
            logger.LogWarning("{Advice}", advice);
        LogTimes(logger, host, times, times.RuntimeMilliseconds(SinceStart(time)));
        logger.LogInformation("Try: curl {Url}", app.Urls.First() + ExamplePath(tables));
    }

    // The pile opens in parallel, so the parts do not add up to the total.
    private static void LogTimes(ILogger logger, PileHost host, StartTimes times, double runtime) => logger.LogInformation(
        "The start took {Runtime:F0} ms for the runtime, {Services:F0} ms for settings and services, and {Listening:F0} ms until it "
        + "listened; beside these the pile took {Pile:F0} ms, its tables {Tables:F0} ms",
        runtime, times.AssemblyMilliseconds, times.ListeningMilliseconds,
        host.OpeningTimes.Pile.TotalMilliseconds, host.OpeningTimes.Tables.TotalMilliseconds);

    private static TimeSpan SinceStart(TimeProvider time)
    {
        using var process = Process.GetCurrentProcess();
        return time.GetUtcNow() - process.StartTime.ToUniversalTime();
    }

    private static string ExamplePath(ServedTables tables)
    {
        bool hasSample = tables.TryGet(Sample.TableName, out CacheTable<string, byte[]>? table) && table.ContainsKey(Sample.ExampleKey);
        return hasSample ? EntryTarget.PathOf(Sample.TableName, Sample.ExampleKey) : "/v1/tables";
    }
}

/// <summary>The phases of a start, as timestamps of <see cref="Stopwatch"/>.</summary>
/// <param name="Began">When the program began.</param>
/// <param name="Assembled">When the settings were read and the services created.</param>
/// <param name="Listened">When the server listened.</param>
internal readonly record struct StartTimes(long Began, long Assembled, long Listened)
{
    internal double AssemblyMilliseconds => Stopwatch.GetElapsedTime(Began, Assembled).TotalMilliseconds;

    internal double ListeningMilliseconds => Stopwatch.GetElapsedTime(Assembled, Listened).TotalMilliseconds;

    /// <summary>The time from the start of the process until the program began.</summary>
    /// <param name="sinceStart">The time since the start of the process.</param>
    internal double RuntimeMilliseconds(TimeSpan sinceStart) =>
        Math.Max(0, (sinceStart - Stopwatch.GetElapsedTime(Began)).TotalMilliseconds);
}
