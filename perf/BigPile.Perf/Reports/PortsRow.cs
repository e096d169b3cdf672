using BigPile.Perf.Messages;

namespace BigPile.Perf.Reports;

/// <summary>What was measured of one way. The names and their order are those of the JSON object.</summary>
internal sealed record PortsRow
{
    public required string Way { get; init; } // port-spin, port-default, port-sleep, tcp, udp, unix or pipe
    public required int SizeBytes { get; init; }
    public required int Receivers { get; init; }
    public required double? RoundTripUsP50 { get; init; } // the median time of a message there and back; null in other modes
    public required double? RoundTripUsP99 { get; init; } // the time that a hundredth of them exceeded

    /// <summary>Messages that went; one there and back, and one to all receivers, counts as one.</summary>
    public required double MessagesPerSecond { get; init; }

    /// <summary>
    /// What a message costs the sender in processor time: of a stream all of it, in a multicast without the writing of the payload;
    /// <see langword="null"/> of round trips.
    /// </summary>
    public required double? SenderNsPerMessage { get; init; }
    public required double? PayloadNsPerMessage { get; init; } // the writing of the payload, once; null but in a multicast

    internal static PortsRow Of(MessageWay way, int sizeBytes, int receivers, MessageFigures figures) => new()
    {
        Way = LoadOption.NameOf(way),
        SizeBytes = sizeBytes,
        Receivers = receivers,
        RoundTripUsP50 = figures.RoundTripUsP50,
        RoundTripUsP99 = figures.RoundTripUsP99,
        MessagesPerSecond = Figure.Rounded(figures.MessagesPerSecond, 0),
        SenderNsPerMessage = Rounded(figures.SenderNsPerMessage),
        PayloadNsPerMessage = Rounded(figures.PayloadNsPerMessage),
    };

    private static double? Rounded(double? ns) => ns is { } known ? Figure.Rounded(known, 1) : null;
}
