using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>
/// A temporary directory for the rendezvous of two processes, with an arena if the way needs one. It is removed completely.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class MessagePlace : IDisposable
{
    private const string SharedMemory = "/dev/shm";
    private const string Prefix = "bigpile-perf-ports-";

    private readonly MessageRoute _route;
    private readonly string _directory;
    private readonly SharedArena? _arena;

    internal MessagePlace(MessageRoute route)
    {
        _route = route;
        string parent = Directory.Exists(SharedMemory) ? SharedMemory : Path.GetTempPath();
        _directory = Path.Combine(parent, $"{Prefix}{Guid.NewGuid():N}");
        Directory.CreateDirectory(_directory, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        if (MessageWays.IsPort(route.Way))
            _arena = SharedArena.Open(PortMeeting.ArenaName, MessageWays.ArenaOf(route.Way, _directory));
    }

    /// <summary>Waits for the receiver of a lane.</summary>
    internal IMeeting Await(int lane) => _route.Way switch
    {
        MessageWay.Tcp or MessageWay.Unix => new StreamMeeting(_route.Way, _directory, lane),
        MessageWay.Udp => new DatagramMeeting(_route),
        MessageWay.Pipe => new PipeMeeting(_directory, lane),
        _ => new PortMeeting(_arena!, _route, _directory, lane),
    };

    /// <summary>What sends one message to all receivers.</summary>
    internal IBroadcast OpenBroadcast(IReadOnlyList<Lane> lanes) =>
        _arena != null ? new PortBroadcast(_arena, _route) : new LaneBroadcast(_route, lanes);

    public void Dispose()
    {
        _arena?.Dispose();
        Directory.Delete(_directory, recursive: true);
    }
}
