using System;
using System.Threading;
using Microsoft.AspNetCore.Connections.Features;

namespace BigPile.Http.Door;

/// <summary>The time limits of a connection, counted in the server's heartbeats, one a second.</summary>
/// <remarks>
/// A heartbeat can't be unregistered, so in the phase <see cref="DoorPhase.None"/> it does nothing. The connection changes the phase while
/// heartbeats come on another thread: a limit may be met one heartbeat late.
/// </remarks>
internal sealed class DoorTimer(Action<DoorPhase> expired)
{
    private volatile DoorPhase _phase;
    private int _ticks;
    private int _limitTicks;

    /// <summary>Listens to a connection's heartbeat; without one there are no limits.</summary>
    internal void Start(IConnectionHeartbeatFeature? heartbeat) =>
        heartbeat?.OnHeartbeat(static timer => ((DoorTimer)timer).Tick(), this);

    /// <summary>Begins a phase.</summary>
    internal void Enter(DoorPhase phase, int limitTicks)
    {
        Volatile.Write(ref _ticks, 0);
        Volatile.Write(ref _limitTicks, limitTicks);
        _phase = phase;
    }

    internal void Stop() => _phase = DoorPhase.None;

    private void Tick()
    {
        DoorPhase phase = _phase;
        if (phase == DoorPhase.None || Interlocked.Increment(ref _ticks) < Volatile.Read(ref _limitTicks))
            return;
        _phase = DoorPhase.None;
        expired(phase);
    }
}
