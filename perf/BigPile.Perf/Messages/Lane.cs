using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using BigPile.Perf.Restarts;

namespace BigPile.Perf.Messages;

/// <summary>A receiver in a process of its own, and the sender's end of what leads there.</summary>
internal sealed class Lane : IDisposable
{
    private readonly MessageBuffer _sent;
    private readonly MessageBuffer _received;
    private readonly IMeeting _meeting;
    private readonly WorkerProcess _process;
    private IMessageChannel? _channel;
    private long _next;

    /// <summary>Starts the process.</summary>
    internal Lane(MessageRoute route, IMeeting meeting, int number)
    {
        _sent = new MessageBuffer(route.SizeBytes);
        _received = new MessageBuffer(route.SizeBytes);
        _meeting = meeting;
        string[] arguments =
        [
            "ports", "--worker", meeting.Address, "--lane", Text(number), "--mode", LoadOption.NameOf(route.Options.Mode),
            "--way", LoadOption.NameOf(route.Way), "--size", Text(route.SizeBytes),
        ];
        _process = WorkerProcess.Start(route.Options.IsPinned ? [.. arguments, "--pin"] : arguments);
    }

    private IMessageChannel Channel => _channel!;

    /// <summary>Waits until the process is there.</summary>
    internal void Meet()
    {
        if (_process.ReadLine() is not MessageRoute.Ready and var line)
            throw new LoadException($"The other process said '{line}', and not that it is ready.");
        _channel = _meeting.Meet();
    }

    /// <summary>Sends the next message, and waits for its return.</summary>
    /// <returns>The nanoseconds between.</returns>
    internal long Exchange()
    {
        _sent.Stamp(_next, MessageWish.Reply);
        long start = Stopwatch.GetTimestamp();
        Channel.Send(_sent.Bytes);
        Channel.Receive(_received.Bytes);
        long end = Stopwatch.GetTimestamp();
        _ = _received.Check(_next++);
        return (long)Stopwatch.GetElapsedTime(start, end).TotalNanoseconds;
    }

    /// <summary>Sends the next message.</summary>
    internal void Send(MessageWish wish)
    {
        _sent.Stamp(_next++, wish);
        Channel.Send(_sent.Bytes);
    }

    /// <summary>Sends a message that somebody else has made, and counts.</summary>
    internal void Send(ReadOnlySpan<byte> message) => Channel.Send(message);

    /// <summary>Counts messages that the receiver got otherwise.</summary>
    internal void Skip(int count) => _next += count;

    /// <summary>Waits for the return of the message that was sent last.</summary>
    internal void ReceiveReply()
    {
        Channel.Receive(_received.Bytes);
        _ = _received.Check(_next - 1);
    }

    /// <summary>Waits until the process, which was told to end, has done so.</summary>
    internal void WaitUntilDone() => _process.WaitUntilDone();

    public void Dispose()
    {
        _process.Dispose();
        _channel?.Dispose();
        _meeting.Dispose();
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);
}

/// <summary>Sends a message to one receiver after the other: of sockets, where the system copies it each time.</summary>
internal sealed class LaneBroadcast : IBroadcast
{
    private readonly IReadOnlyList<Lane> _lanes;
    private readonly byte[][] _messages;

    internal LaneBroadcast(MessageRoute route, IReadOnlyList<Lane> lanes)
    {
        _lanes = lanes;
        _messages = new byte[route.Burst][];
        for (int i = 0; i < _messages.Length; i++)
            _messages[i] = new byte[route.SizeBytes];
    }

    public void Make(int count)
    {
    }

    public void Write(int index, ReadOnlySpan<byte> message) => message.CopyTo(_messages[index]);

    public void Send(int index)
    {
        foreach (Lane lane in _lanes)
            lane.Send(_messages[index]);
    }

    public void Dispose()
    {
    }
}
