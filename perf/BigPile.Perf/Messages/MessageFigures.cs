namespace BigPile.Perf.Messages;

/// <summary>The measurements of some messages; null where a mode does not measure something.</summary>
internal readonly record struct MessageFigures
{
    internal double? RoundTripUsP50 { get; init; }

    internal double? RoundTripUsP99 { get; init; }

    internal required double MessagesPerSecond { get; init; }

    internal double? SenderNsPerMessage { get; init; }

    internal double? PayloadNsPerMessage { get; init; }
}
