using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a soak did and found. The names and their order are those of the JSON object.</summary>
internal sealed record SoakReport
{
    public required string Store { get; init; } // managed, native or mapped
    public required int Megabytes { get; init; } // the live bytes that were asked for, in units of a million
    public required int Threads { get; init; } // workers
    public required int Seed { get; init; } // what the operations followed from
    public required double Seconds { get; init; } // from when the pile was full to the end
    public required long Operations { get; init; } // operations in that time
    public required double PerSecond { get; init; }
    public required IReadOnlyDictionary<string, long> OperationsByKind { get; init; } // operations by what they did
    public required long Errors { get; init; } // what was found that must not be
    public required IReadOnlyList<string> ErrorExamples { get; init; } // the first of them, in words

    /// <summary>The longest time for which the garbage collector let everybody wait, in milliseconds.</summary>
    public required double LongestPauseMs { get; init; }
    public required SoakMemory Mark { get; init; } // memory at minute 5, or at a sixth of the time
    public required SoakMemory End { get; init; } // memory at the end
    public required double LiveGrowthPercent { get; init; } // by how much live bytes grew between the two, in percent
    public required double ProcessGrowthPercent { get; init; } // by how much the process's memory grew

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
