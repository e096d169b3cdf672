using System;
using System.Threading;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>Waits for any of many ports, and is fair: each that is ready comes before one comes again.</summary>
/// <remarks>
/// It looks at all of its ports in turn, hundreds of them without harm, and sleeps when there is nothing. Thread safety: ports may be added
/// and removed by any thread at any time; of several threads that select, two may be told of the same port.
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

    /// <summary>How many ports are waited for.</summary>
    public int Count => Volatile.Read(ref _ports).Length;

    private WakeEvent WakeEvent => _peers.WakeEvents.OfWaiter(_peers.OwnSlot);

    /// <summary>Waits for a port, too, until it is removed or closed.</summary>
    /// <param name="port">A port that was opened by the same arena object.</param>
    /// <exception cref="ArgumentException">It is another arena's, or added already.</exception>
    /// <exception cref="ObjectDisposedException">It was closed.</exception>
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

    /// <summary>Waits no more for a port.</summary>
    /// <param name="port">The port.</param>
    /// <returns><see langword="false"/> when it was not waited for.</returns>
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

    /// <summary>Waits until a port has something, or has lost its sender, which is so until the port is removed.</summary>
    /// <param name="timeout">How long; <see cref="Timeout.InfiniteTimeSpan"/> for as long as it takes.</param>
    /// <returns>
    /// The port: <see cref="ReceivePort.TryReceive(out SharedObject?)"/> gives what there is, or throws. <see langword="null"/> when there
    /// was nothing all the time.
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

    // Each process once, however many ports it sends to.
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
