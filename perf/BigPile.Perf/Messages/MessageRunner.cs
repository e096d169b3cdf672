using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.Versioning;
using System.Threading;

namespace BigPile.Perf.Messages;

/// <summary>Sends messages by each way in turn, in each size, to each number of receivers, and cleans up.</summary>
[SupportedOSPlatform("linux")]
internal static class MessageRunner
{
    private const int RehearsalRounds = 60;
    private const int RehearsalMessages = 256;
    private const int MinMeasuredMessages = 4096; // fewer are too short to measure

    // The runtime optimizes methods that were called often, some tenths of a second later, in the receivers too.
    private static readonly TimeSpan LeastRehearsal = TimeSpan.FromMilliseconds(1000);

    // Many spinning threads on few cores take turns of milliseconds.
    private static readonly TimeSpan MostRehearsal = TimeSpan.FromMilliseconds(3000);

    /// <summary>Runs the load.</summary>
    internal static IReadOnlyList<PortsRow> Run(PortsOptions options, ILoadProgress progress, CancellationToken stop)
    {
        var rows = new List<PortsRow>();
        progress.Begin("messages", options.SizesBytes.Count * options.Receivers.Count * options.Ways.Count);
        foreach (int sizeBytes in options.SizesBytes)
        {
            foreach (int receivers in options.Receivers)
            {
                foreach (MessageWay way in options.Ways)
                {
                    stop.ThrowIfCancellationRequested();
                    rows.Add(Measure(new MessageRoute(options, way, sizeBytes), receivers, stop));
                    progress.Report(rows.Count);
                }
            }
        }
        return rows;
    }

    private static PortsRow Measure(MessageRoute route, int receivers, CancellationToken stop)
    {
        using var company = new Company(route, receivers);
        // after the start of the processes, which would inherit it
        using ThreadPin? pin = route.Options.IsPinned ? ThreadPin.OfSender() : null;
        IMessageLoad load = route.Options.Mode switch
        {
            PortsMode.Roundtrip => new RoundTripLoad(company.Lanes),
            PortsMode.Stream => new StreamLoad(company.Lanes),
            _ => new MulticastLoad(route, company.Lanes, company.OpenBroadcast()),
        };
        Rehearse(load, route.Options.Count, stop);
        MessageFigures figures = load.Run(route.Options.Count, stop);
        load.End();
        company.WaitUntilDone();
        return PortsRow.Of(route.Way, route.SizeBytes, receivers, figures);
    }

    private static void Rehearse(IMessageLoad load, int count, CancellationToken stop)
    {
        TimeSpan least = count < MinMeasuredMessages ? TimeSpan.Zero : LeastRehearsal;
        int rounds = count < MinMeasuredMessages ? 1 : RehearsalRounds;
        long start = Stopwatch.GetTimestamp();
        TimeSpan elapsed = TimeSpan.Zero;
        for (int i = 0; elapsed < least || (i < rounds && elapsed < MostRehearsal); i++)
        {
            _ = load.Run(Math.Min(count, RehearsalMessages), stop);
            elapsed = Stopwatch.GetElapsedTime(start);
        }
    }
}

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
