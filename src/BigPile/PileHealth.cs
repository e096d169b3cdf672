using System;
using BigPile.Concurrency;
using BigPile.Lifecycle;
using BigPile.Reporting;

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

    /// <summary>How many puts were refused since the pile was opened, as it was full and nothing could give way.</summary>
    /// <remarks>Not those that a table refuses by its own limits (<c>PutResult.Collision</c>).</remarks>
    public long RefusedPutCount { get; init; }

    /// <summary>When a put was refused last; <see langword="null"/>: none ever was.</summary>
    public DateTimeOffset? LastRefusedAt { get; init; }

    /// <summary>Why that one was refused, and the remedy; <see langword="null"/>: none ever was.</summary>
    public string? LastRefusal { get; init; }

    /// <summary>
    /// What the pile refused, without paths and names, while that is less than a minute ago; <see langword="null"/> otherwise.
    /// </summary>
    public string? FullTrouble { get; init; }

    /// <summary><see cref="FullTrouble"/> with the limit, the cause and the remedy.</summary>
    public string? FullTroubleDetails { get; init; }

    /// <summary>
    /// Why the pile is degraded: <see cref="FullTrouble"/> and <see cref="FlushTrouble"/>; <see langword="null"/>: it is not.
    /// </summary>
    public string? Trouble => Join(FullTrouble, FlushTrouble);

    /// <summary>The same with <see cref="FullTroubleDetails"/> and <see cref="FlushTroubleDetails"/>.</summary>
    public string? TroubleDetails => Join(FullTroubleDetails, FlushTroubleDetails);

    /// <summary>The health of a pile. Takes no lock: cheap enough for every probe.</summary>
    public static PileHealth Of(Pile pile)
    {
        ArgumentNullException.ThrowIfNull(pile);
        BackgroundWork background = pile.Engine.Background;
        BackgroundFailure? failure = background.LastFailure;
        FlushTrouble? trouble = pile.Engine.FlushTrouble;
        Refusal? refusal = pile.Engine.Refusals.Last;
        string? full = refusal == null ? null : DescribeRecent(refusal, pile.Engine.Refusals.AgeOf(refusal));
        return new PileHealth
        {
            BackgroundFailureCount = background.FailureCount,
            LastFailedWork = failure?.Work,
            LastFailure = failure?.Exception,
            FlushTrouble = trouble?.Reason,
            FlushTroubleDetails = trouble?.Details,
            RefusedPutCount = refusal?.Number ?? 0,
            LastRefusedAt = refusal?.At,
            LastRefusal = refusal?.Reason,
            FullTrouble = full,
            FullTroubleDetails = full == null ? null : $"{full} {refusal!.Reason}",
        };
    }

    private static string? Join(string? one, string? other) => one == null ? other : other == null ? one : $"{one} {other}";

    private static string? DescribeRecent(Refusal last, TimeSpan age)
    {
        if (age >= Refusals.Period)
            return null;
        string puts = last.Number == 1 ? "a put" : $"{last.Number:N0} puts, the last";
        return $"The pile is full, and has refused {puts} {Math.Floor(age.TotalSeconds):N0} s ago.";
    }
}
