using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Messages;

/// <summary>The message pattern of a mode.</summary>
internal interface IMessageLoad
{
    /// <summary>Sends some messages, and waits until all receivers have theirs.</summary>
    MessageFigures Run(int count, CancellationToken stop);

    /// <summary>Tells all receivers to end.</summary>
    void End();
}

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

/// <summary>One message after the other as fast as they are taken, to the receivers in turns; each sends its last one back.</summary>
internal sealed class StreamLoad(IReadOnlyList<Lane> lanes) : IMessageLoad
{
    public MessageFigures Run(int count, CancellationToken stop)
    {
        long busySince = ThreadClock.NowNs();
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < count; i++)
        {
            stop.ThrowIfCancellationRequested();
            lanes[i % lanes.Count].Send(i >= count - lanes.Count ? MessageWish.Reply : MessageWish.Nothing);
        }
        long busyNs = ThreadClock.NowNs() - busySince;
        for (int i = 0; i < lanes.Count && i < count; i++)
            lanes[i].ReceiveReply();
        return new MessageFigures
        {
            MessagesPerSecond = count / Stopwatch.GetElapsedTime(start).TotalSeconds,
            SenderNsPerMessage = (double)busyNs / count,
        };
    }

    public void End()
    {
        foreach (Lane lane in lanes)
            lane.Send(MessageWish.End);
    }
}

/// <summary>Sends each message to all receivers in bursts; after each burst all receivers confirm it.</summary>
/// <remarks>
/// So the sender does not wait while its own time is measured, except where a socket is full. The steps of a burst are measured one after
/// the other, so that reading the clock does not count, and by the thread's processor time, so that it does not matter how many processes
/// share the cores.
/// </remarks>
internal sealed class MulticastLoad(MessageRoute route, IReadOnlyList<Lane> lanes, IBroadcast broadcast) : IMessageLoad
{
    private readonly MessageBuffer _message = new(route.SizeBytes);
    private long _next;
    private long _sendingNs;
    private long _writingNs;

    public MessageFigures Run(int count, CancellationToken stop)
    {
        (_sendingNs, _writingNs) = (0, 0);
        long start = Stopwatch.GetTimestamp();
        for (int done = 0; done < count; done += route.Burst)
        {
            stop.ThrowIfCancellationRequested();
            SendBurst(Math.Min(route.Burst, count - done), MessageWish.Reply);
            foreach (Lane lane in lanes)
                lane.ReceiveReply();
        }
        return new MessageFigures
        {
            MessagesPerSecond = count / Stopwatch.GetElapsedTime(start).TotalSeconds,
            SenderNsPerMessage = (double)_sendingNs / count,
            PayloadNsPerMessage = (double)_writingNs / count,
        };
    }

    public void End() => SendBurst(1, MessageWish.End);

    private void SendBurst(int count, MessageWish atLast)
    {
        long start = ThreadClock.NowNs();
        broadcast.Make(count);
        long made = ThreadClock.NowNs();
        for (int i = 0; i < count; i++)
        {
            _message.Stamp(_next++, i == count - 1 ? atLast : MessageWish.Nothing);
            broadcast.Write(i, _message.Bytes);
        }
        long written = ThreadClock.NowNs();
        for (int i = 0; i < count; i++)
            broadcast.Send(i);
        long sent = ThreadClock.NowNs();
        _sendingNs += made - start + (sent - written);
        _writingNs += written - made;
        foreach (Lane lane in lanes)
            lane.Skip(count);
    }
}

/// <summary>The measurements of some messages; null where a mode does not measure something.</summary>
internal readonly record struct MessageFigures
{
    internal double? RoundTripUsP50 { get; init; }
    internal double? RoundTripUsP99 { get; init; }
    internal required double MessagesPerSecond { get; init; }
    internal double? SenderNsPerMessage { get; init; }
    internal double? PayloadNsPerMessage { get; init; }
}
