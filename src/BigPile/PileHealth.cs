using System;
using BigPile.Concurrency;
using BigPile.Lifecycle;

namespace BigPile;

/// <summary>What has gone wrong in a pile that is open all the same; see <see cref="Of"/>.</summary>
public sealed record PileHealth
{
    /// <summary>
    /// How often background work has failed since the pile was opened: flushes by interval, reading ahead, sweeps of tables.
    /// </summary>
    public long BackgroundFailureCount { get; init; }

    /// <summary>What failed last in the background, as part of a sentence; <see langword="null"/>: nothing ever did.</summary>
    public string? LastFailedWork { get; init; }

    /// <summary>What it threw; <see langword="null"/>: nothing ever failed.</summary>
    public Exception? LastFailure { get; init; }

    /// <summary>
    /// Why the last flush failed, or had no space for its log, without paths and names; <see langword="null"/>: it succeeded, or there was
    /// none.
    /// </summary>
    public string? FlushTrouble { get; init; }

    /// <summary>The file, the cause and the remedy of <see cref="FlushTrouble"/>.</summary>
    public string? FlushTroubleDetails { get; init; }

    /// <summary>The health of a pile. Takes no lock: cheap enough for every probe.</summary>
    public static PileHealth Of(Pile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        BackgroundWork background = pile.Engine.Background;
        BackgroundFailure? failure = background.LastFailure;
        FlushTrouble? trouble = pile.Engine.FlushTrouble;
        return new PileHealth
        {
            BackgroundFailureCount = background.FailureCount,
            LastFailedWork = failure?.Work,
            LastFailure = failure?.Exception,
            FlushTrouble = trouble?.Reason,
            FlushTroubleDetails = trouble?.Details,
        };
    }
}
