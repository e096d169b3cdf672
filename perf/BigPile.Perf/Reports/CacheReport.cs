using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Reports;

/// <summary>What a table load measured. The names and their order are those of the JSON object.</summary>
internal sealed record CacheReport
{
    public required string Mode { get; init; } // speculative or durable
    public required string Store { get; init; } // managed, native or mapped
    public required string Entries { get; init; } // plain, one-expiring, expiring, sliding or tagged
    public required int ValueBytes { get; init; }
    public required int Count { get; init; }
    public required int Threads { get; init; }
    public required double InsertPerSecond { get; init; } // puts of new keys in the second round, on memory that the first one touched
    public required double GetPerSecond { get; init; } // gets in the order of the puts
    public required double RandomGetPerSecond { get; init; } // gets all over the table
    public required double BatchGetPerSecond { get; init; } // the same, many keys in one call
    public required double ReplacePerSecond { get; init; } // puts of known keys all over the table
    public required double MixedPerSecond { get; init; } // gets and replaces of skewed keys
    public required double RemovePerSecond { get; init; } // removals in the order of the puts

    /// <summary>
    /// Puts in the first round, into a table that grows from empty, on memory that the process never used; each is timed.
    /// </summary>
    public required double GrowPerSecond { get; init; }
    public required long LostEntries { get; init; } // entries of the first round that had to make room for others

    /// <summary>Bytes of the pile's pages, of the index and of the queues over entries, less key and value, with the table full.</summary>
    public required double OverheadBytesPerEntry { get; init; }

    /// <summary>The longest of several forced full collections in milliseconds, with the table full.</summary>
    public required double FullCollectionMs { get; init; }
    public required double MaxPutMs { get; init; } // the longest put of the first round, by the clock

    /// <summary>
    /// The most processor time that the thread took for a put which took over a millisecond by the clock, and up to 255 before it; what the
    /// machine took is not in it.
    /// </summary>
    public required double? MaxPutCpuMs { get; init; }
    public required long PutsOver1Ms { get; init; } // puts of the first round that took over a millisecond by the clock
    public required LatencyReport LatencyUs { get; init; } // times of the puts of the first round, in microseconds
}

/// <summary>Times that shares of the operations did not exceed.</summary>
internal sealed record LatencyReport(double P50, double P99, double P999, double P9999, double P99999, double Max)
{
    private const double NsPerUs = 1000;

    internal static LatencyReport Of(IEnumerable<LatencyHistogram> parts)
    {
        var all = new LatencyHistogram();
        foreach (LatencyHistogram part in parts.ToArray())
            all.Add(part);
        return new LatencyReport(
            all.Percentile(0.5) / NsPerUs, all.Percentile(0.99) / NsPerUs, all.Percentile(0.999) / NsPerUs,
            all.Percentile(0.9999) / NsPerUs, all.Percentile(0.99999) / NsPerUs, all.MaxNs / NsPerUs);
    }
}
