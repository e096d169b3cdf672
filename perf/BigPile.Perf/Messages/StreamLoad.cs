using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Messages;

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
