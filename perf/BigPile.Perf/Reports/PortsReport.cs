using System;
using System.Collections.Generic;
using BigPile.Perf.Messages;

namespace BigPile.Perf.Reports;

/// <summary>What a ports load measured.</summary>
/// <param name="Options">What it was asked to do.</param>
/// <param name="Rows">The figures of each way, size and number of receivers; the JSON array.</param>
internal sealed record PortsReport(PortsOptions Options, IReadOnlyList<PortsRow> Rows);

/// <summary>What was measured of one way. The names and their order are those of the JSON object.</summary>
internal sealed record PortsRow
{
    /// <summary>port-spin, port-default, port-sleep, tcp, udp, unix or pipe.</summary>
    public required string Way { get; init; }

    public required int SizeBytes { get; init; }

    public required int Receivers { get; init; }

    /// <summary>The median time of a message there and back; <see langword="null"/> in other modes.</summary>
    public required double? RoundTripUsP50 { get; init; }

    /// <summary>The time that a hundredth of them exceeded.</summary>
    public required double? RoundTripUsP99 { get; init; }

    /// <summary>Messages that went; one there and back, and one to all receivers, counts as one.</summary>
    public required double MessagesPerSecond { get; init; }

    /// <summary>
    /// What a message costs the sender in processor time: of a stream all of it, in a multicast without the writing of the payload;
    /// <see langword="null"/> of round trips.
    /// </summary>
    public required double? SenderNsPerMessage { get; init; }

    /// <summary>The writing of the payload, once; <see langword="null"/> but in a multicast.</summary>
    public required double? PayloadNsPerMessage { get; init; }

    internal static PortsRow Of(MessageWay way, int sizeBytes, int receivers, MessageFigures figures) => new()
    {
        Way = MessageWays.NameOf(way),
        SizeBytes = sizeBytes,
        Receivers = receivers,
        RoundTripUsP50 = figures.RoundTripUsP50,
        RoundTripUsP99 = figures.RoundTripUsP99,
        MessagesPerSecond = Math.Round(figures.MessagesPerSecond),
        SenderNsPerMessage = Rounded(figures.SenderNsPerMessage),
        PayloadNsPerMessage = Rounded(figures.PayloadNsPerMessage),
    };

    private static double? Rounded(double? ns) => ns is { } known ? Math.Round(known, 1) : null;
}
