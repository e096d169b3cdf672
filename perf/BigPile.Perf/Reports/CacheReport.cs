using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Reports;

/// <summary>What a table load measured. The names and their order are those of the JSON object.</summary>
internal sealed record CacheReport
{
    /// <summary>speculative or durable.</summary>
    public required string Mode { get; init; }

    /// <summary>long or string.</summary>
    public required string Keys { get; init; }

    /// <summary>managed, native or mapped.</summary>
    public required string Store { get; init; }

    /// <summary>plain, one-expiring, expiring, sliding or tagged.</summary>
    public required string Entries { get; init; }

    public required int ValueBytes { get; init; }

    public required int Count { get; init; }

    public required int Threads { get; init; }

    /// <summary>The share of reads in the mixed phase.</summary>
    public required double ReadRatio { get; init; }

    /// <summary>The skew of its keys.</summary>
    public required double Zipf { get; init; }

    /// <summary>The keys of one batched call.</summary>
    public required int Batch { get; init; }

    /// <summary>Puts of new keys in the second round, on memory that the first one touched.</summary>
    public required double InsertPerSecond { get; init; }

    /// <summary>Gets in the order of the puts.</summary>
    public required double GetPerSecond { get; init; }

    /// <summary>Gets all over the table.</summary>
    public required double RandomGetPerSecond { get; init; }

    /// <summary>The same, many keys in one call.</summary>
    public required double BatchGetPerSecond { get; init; }

    /// <summary>Puts of known keys all over the table.</summary>
    public required double ReplacePerSecond { get; init; }

    /// <summary>Gets and replaces of skewed keys.</summary>
    public required double MixedPerSecond { get; init; }

    /// <summary>Removals in the order of the puts.</summary>
    public required double RemovePerSecond { get; init; }

    /// <summary>
    /// Puts in the first round, into a table that grows from empty, on memory that the process never used; each is timed.
    /// </summary>
    public required double GrowPerSecond { get; init; }

    /// <summary>Entries of the first round that had to make room for others.</summary>
    public required long LostEntries { get; init; }

    /// <summary>Bytes of the pile's pages, of the index and of the queues over entries, less key and value, with the table full.</summary>
    public required double OverheadBytesPerEntry { get; init; }

    /// <summary>The longest of several forced full collections in milliseconds, with the table full.</summary>
    public required double FullCollectionMs { get; init; }

    /// <summary>The longest put of the first round, by the clock.</summary>
    public required double MaxPutMs { get; init; }

    /// <summary>
    /// The most processor time that the thread took for a put which took over a millisecond by the clock, and up to 255 before it; what the
    /// machine took is not in it.
    /// </summary>
    public required double? MaxPutCpuMs { get; init; }

    /// <summary>Puts of the first round that took over a millisecond by the clock.</summary>
    public required long PutsOver1Ms { get; init; }

    /// <summary>Times of the puts of the first round, in microseconds.</summary>
    public required LatencyReport LatencyUs { get; init; }
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
