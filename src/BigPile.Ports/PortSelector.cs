using System;
using System.Threading;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>Waits for any of many ports. It is fair: each port that is ready is returned before one is returned again.</summary>
/// <remarks>
/// Polls all of its ports, which may be hundreds, and sleeps if none is ready. Thread safety: ports may be added and removed by any thread
/// at any time; two threads that select may get the same port.
/// </remarks>
public sealed class PortSelector
{
    private readonly Lock _changeLock = new();
    private readonly PeerTable _peers;
    private readonly SpinThenWait _waiter;
    private readonly Func<bool> _isClosed;
    private ReceivePort[] _ports = [];
    private int _next;

    internal PortSelector(PeerTable peers, SpinThenWait waiter, Func<bool> isClosed)
    {
        _peers = peers;
        _waiter = waiter;
        _isClosed = isClosed;
    }

    /// <summary>The number of ports.</summary>
    public int Count => Volatile.Read(ref _ports).Length;

    private WakeEvent WakeEvent => _peers.WakeEvents.OfWaiter(_peers.OwnSlot);

    /// <summary>Adds a port, until it is removed or closed.</summary>
    /// <param name="port">A port that was opened by the same arena object.</param>
    /// <exception cref="ArgumentException">The port is of another arena, or already added.</exception>
    /// <exception cref="ObjectDisposedException">The port was closed.</exception>
    public void Add(ReceivePort port)
    {
        ArgumentNullException.ThrowIfNull(port);
        lock (_changeLock)
        {
            ObjectDisposedException.ThrowIf(port.IsDisposed, port);
            if (!port.IsOf(_peers))
                throw new ArgumentException("The port was opened by another arena object than the selector.", nameof(port));
            if (Array.IndexOf(_ports, port) >= 0)
                throw new ArgumentException($"The port '{port.Name}' is in the selector already.", nameof(port));
            port.AnnounceWaiting();
            Volatile.Write(ref _ports, [.. _ports, port]);
        }
        WakeEvent.SignalAlways();
    }

    /// <summary>Removes a port.</summary>
    /// <param name="port">The port.</param>
    /// <returns><see langword="false"/> if it was not added.</returns>
    public bool Remove(ReceivePort port)
    {
        ArgumentNullException.ThrowIfNull(port);
        lock (_changeLock)
        {
            int index = Array.IndexOf(_ports, port);
            if (index < 0)
                return false;
            Volatile.Write(ref _ports, [.. _ports.AsSpan(0, index), .. _ports.AsSpan(index + 1)]);
            return true;
        }
    }

    /// <summary>Waits until a port has an object, or has lost its sender; such a port stays ready until it is removed.</summary>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns>
    /// A ready port: its <see cref="ReceivePort.TryReceive(out SharedObject?)"/> returns an object, or throws. <see langword="null"/> if
    /// none was ready in time.
    /// </returns>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public ReceivePort? Select(TimeSpan timeout)
    {
        var deadline = new Deadline(timeout);
        while (true)
        {
            ObjectDisposedException.ThrowIf(_isClosed(), this);
            ReceivePort[] ports = Volatile.Read(ref _ports);
            if (FindReady(ports) is { } ready)
                return ready;
            _peers.Identity.ThrowIfRemoved();
            if (deadline.Left is var left && left == TimeSpan.Zero)
                return null;
            if (!_waiter.Wait(WakeEvent, new AnyReady(this, ports), left))
                DetectDeadSenders(ports);
        }
    }

    private ReceivePort? FindReady(ReceivePort[] ports)
    {
        for (int i = 0; i < ports.Length; i++)
        {
            int index = (int)((uint)(_next + i) % (uint)ports.Length);
            if (!ports[index].IsReady)
                continue;
            if (ports[index].IsDisposed)
            {
                Remove(ports[index]);
                continue;
            }
            _next = index + 1;
            return ports[index];
        }
        return null;
    }

    // Each process is checked once, however many ports it sends to.
    private void DetectDeadSenders(ReceivePort[] ports)
    {
        _peers.Identity.Poll();
        ulong checkedSlots = 0;
        foreach (ReceivePort port in ports)
        {
            if (port.SenderSlot is not (>= 0 and int slot) || (checkedSlots & (1UL << slot)) != 0)
                continue;
            checkedSlots |= 1UL << slot;
            _peers.DetectDeath(slot);
        }
    }

    private readonly struct AnyReady(PortSelector selector, ReceivePort[] ports) : IAwaited
    {
        public bool IsThere
        {
            get
            {
                foreach (ReceivePort port in ports)
                {
                    if (port.IsReady)
                        return true;
                }
                return selector._isClosed() || !ReferenceEquals(Volatile.Read(ref selector._ports), ports);
            }
        }
    }
}
