using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;

namespace BigPile.Perf.Soaking;

/// <summary>What is reported of a soak that ended.</summary>
internal static class SoakReports
{
    internal static SoakReport Of(
        SoakPlace place, SoakSample mark, SoakSample end, IReadOnlyDictionary<string, long> operations, double longestPauseMs) => new()
        {
            Store = place.Options.Store.ToString().ToLowerInvariant(),
            Megabytes = place.Options.Megabytes,
            Threads = place.Options.Threads,
            Seed = place.Options.Seed,
            Seconds = Figure.Rounded(end.Seconds, 1),
            Operations = end.Operations,
            PerSecond = Figure.PerSecond(end.Operations, end.Seconds),
            OperationsByKind = operations,
            Errors = place.Errors.Count,
            ErrorExamples = place.Errors.Examples,
            LongestPauseMs = Figure.Rounded(longestPauseMs, 1),
            Mark = MemoryOf(mark),
            End = MemoryOf(end),
            LiveGrowthPercent = Growth(mark.LiveBytes, end.LiveBytes),
            ProcessGrowthPercent = Growth(mark.Memory.ResidentBytes, end.Memory.ResidentBytes),
            PrivateGrowthPercent = mark.Memory.PrivateBytes is { } from && end.Memory.PrivateBytes is { } to ? Growth(from, to) : null,
        };

    private static SoakMemory MemoryOf(SoakSample sample) => new(
        Figure.Rounded(sample.Seconds, 1), sample.Pile.ObjectsSoFar, sample.LiveBytes, sample.Pile.ReservedBytes,
        sample.Memory.ResidentBytes,
        sample.Memory.PrivateBytes, sample.ManagedBytes, Ratio(sample.Memory.ResidentBytes, sample.LiveBytes),
        sample.Memory.PrivateBytes is { } bytes ? Ratio(bytes, sample.LiveBytes) : null);

    private static double Growth(long from, long to) => Math.Round(100.0 * (to - from) / Math.Max(1, from), 1);

    private static double Ratio(long bytes, long liveBytes) => Math.Round((double)bytes / Math.Max(1, liveBytes), 3);
}

/// <summary>A line every ten seconds.</summary>
internal sealed class SoakLines(TextWriter output, SoakErrors errors, CollectorPauses pauses)
{
    private const double Megabyte = 1e6;

    private SoakSample? _last;

    /// <summary>Says what the columns are.</summary>
    internal void Begin() => output.WriteLine(
        "    time     operations   a second      live objects    live MB  reserved MB  process MB  private MB  managed MB  pause ms"
        + "  errors");

    /// <summary>Writes a line.</summary>
    internal void Write(SoakSample sample)
    {
        double seconds = sample.Seconds - (_last?.Seconds ?? 0);
        double perSecond = (sample.Operations - (_last?.Operations ?? 0)) / Math.Max(seconds, 1e-9);
        _last = sample;
        string own = sample.Memory.PrivateBytes is { } bytes ? Megabytes(bytes) : "?";
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $@"{TimeSpan.FromSeconds(sample.Seconds):hh\:mm\:ss} {sample.Operations,14:N0} {perSecond,10:N0} "
            + $"{sample.Pile.ObjectsSoFar,17:N0} "
            + $"{Megabytes(sample.LiveBytes),10} {Megabytes(sample.Pile.ReservedBytes),12} {Megabytes(sample.Memory.ResidentBytes),11} "
            + $"{own,11} {Megabytes(sample.ManagedBytes),11} {pauses.TakeLongestMs(),9:N1} {errors.Count,7:N0}"));
        output.Flush();
    }

    private static string Megabytes(long bytes) => string.Create(CultureInfo.InvariantCulture, $"{bytes / Megabyte:N1}");
}

/// <summary>What the soak looked like at an instant.</summary>
/// <param name="Seconds">Since the pile was full.</param>
/// <param name="Operations">Of all workers since then.</param>
/// <param name="Pile">The pile's figures.</param>
/// <param name="Memory">The process's.</param>
/// <param name="ManagedBytes">The managed heap, garbage included.</param>
internal sealed record SoakSample(double Seconds, long Operations, PileStatistics Pile, ProcessMemory Memory, long ManagedBytes)
{
    internal long LiveBytes => Pile.PayloadBytes;
}

/// <summary>The memory of this process, as the system tells it.</summary>
/// <param name="ResidentBytes">All that is in memory, pages of mapped files included.</param>
/// <param name="PrivateBytes">Of that, what is no file's; <see langword="null"/> where the system does not say.</param>
internal readonly record struct ProcessMemory(long ResidentBytes, long? PrivateBytes)
{
    private const string Status = "/proc/self/status";

    internal static ProcessMemory Now()
    {
        if (!File.Exists(Status))
            return new ProcessMemory(Environment.WorkingSet, null);
        (long resident, long? own) = (0, null);
        foreach (string line in File.ReadLines(Status))
        {
            if (line.StartsWith("VmRSS:", StringComparison.Ordinal))
                resident = BytesIn(line);
            if (line.StartsWith("RssAnon:", StringComparison.Ordinal))
                own = BytesIn(line);
        }
        return new ProcessMemory(resident, own);
    }

    private static long BytesIn(string line) =>
        long.Parse(line.AsSpan(line.IndexOf(':') + 1).Trim().TrimEnd(" kB"), CultureInfo.InvariantCulture) * 1024;
}
