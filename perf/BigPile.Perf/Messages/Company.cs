using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.Versioning;
using BigPile.Ports;

namespace BigPile.Perf.Messages;

/// <summary>All receivers of a load, and the channels to them.</summary>
[SupportedOSPlatform("linux")]
internal sealed class Company : IDisposable
{
    private readonly MessagePlace _place;
    private readonly List<Lane> _lanes = [];
    private IBroadcast? _broadcast;

    /// <summary>Starts the receivers.</summary>
    internal Company(MessageRoute route, int receivers)
    {
        _place = new MessagePlace(route);
        try
        {
            for (int i = 0; i < receivers; i++)
                _lanes.Add(new Lane(route, _place.Await(i), i));
            foreach (Lane lane in _lanes)
                lane.Meet();
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    internal IReadOnlyList<Lane> Lanes => _lanes;

    /// <summary>Creates the broadcast to all receivers, valid while this object lives.</summary>
    internal IBroadcast OpenBroadcast() => _broadcast = _place.OpenBroadcast(_lanes);

    /// <summary>Waits until all receivers have ended.</summary>
    internal void WaitUntilDone()
    {
        foreach (Lane lane in _lanes)
        {
            lane.ReceiveReply();
            lane.WaitUntilDone();
        }
    }

    public void Dispose()
    {
        _broadcast?.Dispose();
        foreach (Lane lane in _lanes)
            lane.Dispose();
        _place.Dispose();
    }
}

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
