using System;
using System.IO;
using System.Runtime.Versioning;
using System.Threading;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>A receiver process: it checks each message, and sends back those that ask for it.</summary>
/// <remarks>It ends when its standard input closes, so that it does not outlive the console.</remarks>
[SupportedOSPlatform("linux")]
internal static class MessageWorker
{
    /// <summary>Receives until it is told to end.</summary>
    /// <exception cref="LoadException">A message came wrongly, or not at all.</exception>
    internal static int Run(MessageRoute route, string address, int lane, TextWriter output)
    {
        new Thread(EndWithInput) { IsBackground = true }.Start();
        using ThreadPin? pin = route.Options.IsPinned ? ThreadPin.OfReceiver(lane) : null;
        using SharedArena? arena =
            MessageWays.IsPort(route.Way) ? SharedArena.Open(PortMeeting.ArenaName, MessageWays.ArenaOf(route.Way, address)) : null;
        using IMessageChannel channel = Join(route, address, lane, arena);
        output.WriteLine(MessageRoute.Ready);
        output.Flush();
        Receive(channel, route.SizeBytes);
        return 0;
    }

    private static IMessageChannel Join(MessageRoute route, string address, int lane, SharedArena? arena) => route.Way switch
    {
        MessageWay.Tcp or MessageWay.Unix => StreamMeeting.Join(route.Way, address),
        MessageWay.Udp => DatagramMeeting.Join(route, address),
        MessageWay.Pipe => PipeMeeting.Join(address),
        _ => PortChannel.Open(arena!, route, lane, isSender: false),
    };

    private static void Receive(IMessageChannel channel, int sizeBytes)
    {
        var message = new MessageBuffer(sizeBytes);
        MessageWish wish = MessageWish.Nothing;
        for (long number = 0; wish != MessageWish.End; number++)
        {
            channel.Receive(message.Bytes);
            wish = message.Check(number);
            if (wish != MessageWish.Nothing)
                channel.Send(message.Bytes);
        }
    }

    private static void EndWithInput()
    {
        _ = Console.In.ReadLine();
        Environment.Exit(0);
    }
}
