using System;
using System.Threading;
using Microsoft.AspNetCore.Connections.Features;

namespace BigPile.Http.FastPath;

/// <summary>Enforces a connection's timeouts, in server heartbeats of one second.</summary>
/// <remarks>
/// A heartbeat callback can't be unregistered; in <see cref="TimeoutPhase.None"/> it does nothing. Thread safety: the connection enters
/// phases while heartbeats arrive on another thread; a timeout may fire one heartbeat late.
/// </remarks>
internal sealed class FastPathTimer(Action<TimeoutPhase> expired)
{
    /// <summary>The current phase; written by the connection, and reset by the heartbeat thread when the limit has passed.</summary>
    private volatile TimeoutPhase _phase;
    /// <summary>Heartbeats since the phase began.</summary>
    private int _ticks;
    /// <summary>The limit of the phase, in heartbeats.</summary>
    private int _limitTicks;

    /// <summary>Subscribes to a connection's heartbeat; without one there are no timeouts.</summary>
    internal void Start(IConnectionHeartbeatFeature? heartbeat) =>
        heartbeat?.OnHeartbeat(static timer => ((FastPathTimer)timer).Tick(), this);

    internal void Enter(TimeoutPhase phase, int limitTicks)
    {
        Volatile.Write(ref _ticks, 0);
        Volatile.Write(ref _limitTicks, limitTicks);
        // Stored last: a heartbeat that sees the phase also sees its limit.
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

/// <summary>What a connection waits for; each phase has a timeout.</summary>
internal enum TimeoutPhase
{
    /// <summary>Nothing with a timeout here: it works, or the stack has the connection.</summary>
    None,

    /// <summary>The first byte of a request.</summary>
    Idle,

    /// <summary>The rest of a head.</summary>
    Head,

    /// <summary>The client, to receive what was sent.</summary>
    Flush,
}
