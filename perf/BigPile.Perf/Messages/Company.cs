using System;
using System.Collections.Generic;
using System.Runtime.Versioning;

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
    /// <exception cref="LoadException">One failed.</exception>
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
