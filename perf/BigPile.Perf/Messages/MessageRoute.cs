using System;
using System.Numerics;

namespace BigPile.Perf.Messages;

/// <summary>What both sides know before the first message.</summary>
/// <param name="Options">What the load is asked to do.</param>
/// <param name="Way">By what messages go.</param>
/// <param name="SizeBytes">The bytes of each.</param>
internal sealed record MessageRoute(PortsOptions Options, MessageWay Way, int SizeBytes)
{
    /// <summary>What a receiver says when it can be met.</summary>
    internal const string Ready = "ready";

    private const int OnTheWayBytes = 4 << 20; // of a port: within the last cache
    private const int MaxDepth = 256; // an arena's own by default
    private const int BurstBytes = 2 << 20;
    private const int MaxBurst = 128;

    /// <summary>The most messages in flight in a port.</summary>
    internal int Depth => (int)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(OnTheWayBytes / SizeBytes, 2, MaxDepth));

    /// <summary>The messages of a multicast burst, before all receivers confirm them: fewer than may be in flight.</summary>
    internal int Burst => Math.Clamp(BurstBytes / SizeBytes, 1, MaxBurst);
}
