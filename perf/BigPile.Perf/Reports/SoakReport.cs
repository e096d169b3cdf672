using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a soak did and found. The names and their order are those of the JSON object.</summary>
internal sealed record SoakReport
{
    /// <summary>managed, native or mapped.</summary>
    public required string Store { get; init; }

    /// <summary>The live bytes that were asked for, in units of a million.</summary>
    public required int Megabytes { get; init; }

    /// <summary>Workers.</summary>
    public required int Threads { get; init; }

    /// <summary>What the operations followed from.</summary>
    public required int Seed { get; init; }

    /// <summary>From when the pile was full to the end.</summary>
    public required double Seconds { get; init; }

    /// <summary>Operations in that time.</summary>
    public required long Operations { get; init; }

    public required double PerSecond { get; init; }

    /// <summary>Operations by what they did.</summary>
    public required IReadOnlyDictionary<string, long> OperationsByKind { get; init; }

    /// <summary>What was found that must not be.</summary>
    public required long Errors { get; init; }

    /// <summary>The first of them, in words.</summary>
    public required IReadOnlyList<string> ErrorExamples { get; init; }

    /// <summary>The longest time for which the garbage collector let everybody wait, in milliseconds.</summary>
    public required double LongestPauseMs { get; init; }

    /// <summary>Memory at minute 5, or at a sixth of the time.</summary>
    public required SoakMemory Mark { get; init; }

    /// <summary>Memory at the end.</summary>
    public required SoakMemory End { get; init; }

    /// <summary>By how much live bytes grew between the two, in percent.</summary>
    public required double LiveGrowthPercent { get; init; }

    /// <summary>By how much the process's memory grew.</summary>
    public required double ProcessGrowthPercent { get; init; }

    /// <summary>By how much its memory grew that is no file's; none where the system does not say.</summary>
    public required double? PrivateGrowthPercent { get; init; }
}

/// <summary>Memory at an instant of a soak.</summary>
/// <param name="Seconds">The instant, since the pile was full.</param>
/// <param name="LiveObjects">Objects in the pile, entries of tables included.</param>
/// <param name="LiveBytes">Their payloads.</param>
/// <param name="ReservedBytes">The pile's segments.</param>
/// <param name="ProcessBytes">What the process has in memory, pages of mapped files included.</param>
/// <param name="PrivateBytes">Of that, what is no file's; none where the system does not say.</param>
/// <param name="ManagedBytes">The managed heap, garbage included.</param>
/// <param name="ProcessBytesPerLiveByte">The process's memory over live bytes.</param>
/// <param name="PrivateBytesPerLiveByte">Its memory that is no file's over live bytes.</param>
internal sealed record SoakMemory(
    double Seconds,
    long LiveObjects,
    long LiveBytes,
    long ReservedBytes,
    long ProcessBytes,
    long? PrivateBytes,
    long ManagedBytes,
    double ProcessBytesPerLiveByte,
    double? PrivateBytesPerLiveByte);
