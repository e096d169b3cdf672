using System;
using System.Threading;
using Microsoft.AspNetCore.Connections.Features;

namespace BigPile.Http.FastPath;

/// <summary>The time limits of a connection, counted in the server's heartbeats, one a second.</summary>
/// <remarks>
/// A heartbeat can't be unregistered, so in the phase <see cref="TimeoutPhase.None"/> it does nothing. The connection changes the phase while
/// heartbeats come on another thread: a limit may be met one heartbeat late.
/// </remarks>
internal sealed class FastPathTimer(Action<TimeoutPhase> expired)
{
    private volatile TimeoutPhase _phase;
    private int _ticks;
    private int _limitTicks;

    /// <summary>Listens to a connection's heartbeat; without one there are no limits.</summary>
    internal void Start(IConnectionHeartbeatFeature? heartbeat) =>
        heartbeat?.OnHeartbeat(static timer => ((FastPathTimer)timer).Tick(), this);

    /// <summary>Begins a phase.</summary>
    internal void Enter(TimeoutPhase phase, int limitTicks)
    {
        Volatile.Write(ref _ticks, 0);
        Volatile.Write(ref _limitTicks, limitTicks);
        _phase = phase;
    }

    internal void Stop() => _phase = TimeoutPhase.None;

    private void Tick()
    {
        TimeoutPhase phase = _phase;
        if (phase == TimeoutPhase.None || Interlocked.Increment(ref _ticks) < Volatile.Read(ref _limitTicks))
            return;
        _phase = TimeoutPhase.None;
        expired(phase);
    }
}
