namespace BigPile.Perf.Messages;

/// <summary>What some messages showed; what a mode does not show is null.</summary>
internal readonly record struct MessageFigures
{
    internal double? RoundTripUsP50 { get; init; }

    internal double? RoundTripUsP99 { get; init; }

    internal required double MessagesPerSecond { get; init; }

    internal double? SenderNsPerMessage { get; init; }

    internal double? PayloadNsPerMessage { get; init; }
}
