using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Messages;

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
