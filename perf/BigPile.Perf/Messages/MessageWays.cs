using System;
using System.Collections.Generic;
using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>What there is to know of the ways.</summary>
internal static class MessageWays
{
    private static readonly TimeSpan VeryLong = TimeSpan.FromSeconds(1);

    private static readonly (MessageWay Way, string Name)[] Names =
    [
        (MessageWay.PortSpin, "port-spin"), (MessageWay.PortDefault, "port-default"), (MessageWay.PortSleep, "port-sleep"),
        (MessageWay.Tcp, "tcp"), (MessageWay.Udp, "udp"), (MessageWay.Unix, "unix"), (MessageWay.Pipe, "pipe"),
    ];

    internal static IReadOnlyList<MessageWay> All { get; } = Array.ConvertAll(Names, static pair => pair.Way);

    internal static string NameOf(MessageWay way) => Array.Find(Names, pair => pair.Way == way).Name;

    internal static bool TryParse(string name, out MessageWay way)
    {
        int index = Array.FindIndex(Names, pair => pair.Name == name);
        way = index < 0 ? default : Names[index].Way;
        return index >= 0;
    }

    internal static bool IsPort(MessageWay way) => way is MessageWay.PortSpin or MessageWay.PortDefault or MessageWay.PortSleep;

    /// <summary>How an arena is opened for a way of ports, in a directory.</summary>
    [SupportedOSPlatform("linux")]
    internal static SharedArenaOptions ArenaOf(MessageWay way, string directory)
    {
        var options = new SharedArenaOptions { Directory = directory };
        return way switch
        {
            MessageWay.PortSpin => options with { Spin = VeryLong },
            MessageWay.PortSleep => options with { Spin = TimeSpan.Zero },
            _ => options,
        };
    }
}
