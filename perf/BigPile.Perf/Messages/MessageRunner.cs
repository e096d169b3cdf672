using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.Versioning;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

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
    /// <exception cref="LoadException">A message was changed or lost, or a receiver is gone.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static PortsReport Run(PortsOptions options, ILoadProgress progress, CancellationToken stop)
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
        return new PortsReport(options, rows);
    }

    private static PortsRow Measure(MessageRoute route, int receivers, CancellationToken stop)
    {
        using var company = new Company(route, receivers);
        // after the start of the processes, which would inherit it
        using ThreadPin? pin = route.Options.IsPinned ? ThreadPin.OfSender() : null;
        IMessageLoad load = route.Options.Mode switch
        {
            PortsMode.RoundTrip => new RoundTripLoad(company.Lanes),
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
