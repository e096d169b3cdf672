using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Messages;

/// <summary>A message there and back, and then the next one, to the receivers in turns.</summary>
internal sealed class RoundTripLoad(IReadOnlyList<Lane> lanes) : IMessageLoad
{
    public MessageFigures Run(int count, CancellationToken stop)
    {
        var times = new LatencyHistogram();
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            stop.ThrowIfCancellationRequested();
            times.Add(lanes[i % lanes.Count].Exchange());
        }
        return new MessageFigures
        {
            RoundTripUsP50 = Math.Round(times.Percentile(0.50) / 1000.0, 3),
            RoundTripUsP99 = Math.Round(times.Percentile(0.99) / 1000.0, 3),
            MessagesPerSecond = count / Stopwatch.GetElapsedTime(start).TotalSeconds,
        };
    }

    public void End()
    {
        foreach (Lane lane in lanes)
            lane.Send(MessageWish.End);
    }
}
