using System;
using System.Globalization;
using System.IO;

namespace BigPile.Perf.Soaking;

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
