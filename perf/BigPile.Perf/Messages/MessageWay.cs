using System;
using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>By what messages go.</summary>
internal enum MessageWay
{
    PortSpin, // ports that spin and do not sleep
    PortDefault, // ports as they are by default
    PortSleep, // ports that sleep at once
    Tcp,
    Udp,
    Unix, // a stream socket of the machine's own
    Pipe, // a pipe there, and one back
}

/// <summary>What there is to know of the ways.</summary>
internal static class MessageWays
{
    private static readonly TimeSpan VeryLong = TimeSpan.FromSeconds(1);

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
