using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Feeds;

namespace BigPile.Perf.Reports;

/// <summary>What a table load measured of one mode of the feed. The names and their order are those of the JSON object.</summary>
internal sealed record FeedRow
{
    private const double NsPerUs = 1000;

    public required string Feed { get; init; } // off, none or read
    public required string Mode { get; init; } // speculative or durable
    public required string Store { get; init; } // managed, native or mapped
    public required string Entries { get; init; } // plain, one-expiring, expiring, sliding or tagged
    public required int KeyBytes { get; init; }
    public required int ValueBytes { get; init; }
    public required int Count { get; init; }
    public required int Threads { get; init; }
    public required int Rounds { get; init; }
    public required double PutPerSecond { get; init; } // puts of new keys, on memory that an earlier round touched
    public required double ReplacePerSecond { get; init; } // puts of known keys all over the table
    public required double BatchPutPerSecond { get; init; } // the same, many keys in one call
    public required double RemovePerSecond { get; init; } // removals in the order of the puts

    /// <summary>The rate over that of the first mode: the median of the slices, which both ran one after the other.</summary>
    public required double PutRatio { get; init; }
    public required double ReplaceRatio { get; init; }
    public required double BatchPutRatio { get; init; }
    public required double RemoveRatio { get; init; }

    /// <summary>The changes a second that the reader got, until it had all.</summary>
    public double? ReadPerSecond { get; init; }
    public double? ReadRatio { get; init; } // the same over the rate of the changes
    public double? ReplayPerSecond { get; init; } // what another reader got of changes in the window, with nobody beside it
    public long? Gaps { get; init; } // how often the reader was told that it had missed some

    /// <summary>From the return of a put to the delivery of its change, while puts come as fast as they can.</summary>
    public double? LagUsP50 { get; init; }
    public double? LagUsP99 { get; init; }
    public double? LagUsP999 { get; init; }

    internal static FeedRow Of(FeedMode mode, CacheOptions options, FeedFigures own, FeedFigures first, IFeedFollower? follower) => new()
    {
        Feed = LoadOption.NameOf(mode),
        Mode = LoadOption.NameOf(options.Mode),
        Store = LoadOption.NameOf(options.Store),
        Entries = LoadOption.NameOf(options.Entries),
        KeyBytes = options.KeyBytes,
        ValueBytes = options.ValueBytes,
        Count = options.Count,
        Threads = options.Threads,
        Rounds = options.Rounds,
        PutPerSecond = RateOf(own.Puts),
        ReplacePerSecond = RateOf(own.Replaces),
        BatchPutPerSecond = RateOf(own.BatchedPuts),
        RemovePerSecond = RateOf(own.Removes),
        PutRatio = RatioOf(first.Puts, own.Puts),
        ReplaceRatio = RatioOf(first.Replaces, own.Replaces),
        BatchPutRatio = RatioOf(first.BatchedPuts, own.BatchedPuts),
        RemoveRatio = RatioOf(first.Removes, own.Removes),
        ReadPerSecond = follower == null ? null : Figure.PerSecond(own.Delivered, own.ReadSeconds),
        ReadRatio = follower == null
            ? null : Figure.Rounded(own.Delivered / own.ReadSeconds / (own.Changed / own.ChangeSeconds), 3),
        ReplayPerSecond = follower == null ? null : Figure.Rounded(own.ReplayPerSecond, 0),
        Gaps = follower?.Gaps,
        LagUsP50 = follower?.Lags.Percentile(0.5) / NsPerUs,
        LagUsP99 = follower?.Lags.Percentile(0.99) / NsPerUs,
        LagUsP999 = follower?.Lags.Percentile(0.999) / NsPerUs,
    };

    private static double RateOf(List<double> seconds) => Figure.PerSecond(1, MedianOf(seconds));

    private static double RatioOf(List<double> first, List<double> own) =>
        Figure.Rounded(MedianOf(first.Zip(own, static (a, b) => a / b)), 3);

    private static double MedianOf(IEnumerable<double> values)
    {
        double[] sorted = [.. values.Order()];
        return sorted[sorted.Length / 2];
    }
}
