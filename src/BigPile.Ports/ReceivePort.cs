using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Channels;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>The receiving end of a one-way port: objects arrive in order, and without a copy.</summary>
/// <remarks>
/// A new receiver of a port continues where the last one stopped. Thread safety: all members may be called concurrently; of several threads
/// that receive, one gets each object.
/// </remarks>
public class ReceivePort : IDisposable
{
    private readonly Lock _lock = new();
    private readonly ReceivingSide _side;
    private readonly Action _close;
    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private readonly PeerTable _peers;
    private readonly SpinThenWait _waiter;
    private readonly PendingWork _work;
    private bool _isDisposed;

    internal ReceivePort(
        string name, ReceivingSide side, Action close, ObjectTable objects, RefCounts refCounts, PeerTable peers, SpinThenWait waiter,
        PendingWork work)
    {
        Name = name;
        _side = side;
        _close = close;
        _objects = objects;
        _refCounts = refCounts;
        _peers = peers;
        _waiter = waiter;
        _work = work;
    }

    /// <summary>The port's name.</summary>
    public string Name { get; }

    /// <summary>Waits for the next object.</summary>
    /// <returns>
    /// The object, which the caller must dispose; <see langword="null"/> if the sender has closed the port and all objects were received.
    /// </returns>
    /// <exception cref="PeerLostException">The sender died, and all that it sent was received.</exception>
    /// <exception cref="ArenaRemovedException">The arena was removed, and all that it held here was received.</exception>
    /// <exception cref="ObjectDisposedException">The port was closed, perhaps during the call.</exception>
    /// <exception cref="InvalidDataException">Another process wrote over the port.</exception>
    public SharedObject? Receive()
    {
        _ = TryReceive(Timeout.InfiniteTimeSpan, out SharedObject? received);
        return received;
    }

    /// <summary>Takes the next object, if there is one.</summary>
    /// <param name="received">The object, which the caller must dispose.</param>
    /// <inheritdoc cref="Receive" path="/exception"/>
    public ReceiveResult TryReceive(out SharedObject? received) => TryReceive(TimeSpan.Zero, out received);

    /// <summary>Waits for the next object, at most for a timeout.</summary>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <param name="received">The object, which the caller must dispose.</param>
    /// <inheritdoc cref="Receive" path="/exception"/>
    public ReceiveResult TryReceive(TimeSpan timeout, out SharedObject? received)
    {
        var deadline = new Deadline(timeout);
        while (true)
        {
            PortEnd sender = _side.Port.SenderEnd; // before the ring, so that all that a sender sent before it was gone is seen
            if (TryReceiveOnce(out received))
                return ReceiveResult.Received;
            if (sender is { IsActive: false } && sender.Slot >= 0)
                ReclaimAbandoned(sender);
            if (sender.WasClosed)
                return ReceiveResult.Ended;
            if (sender.WasLost)
                throw new PeerLostException($"The sender of the port '{Name}' died; all that it had sent was received.");
            _peers.Identity.ThrowIfRemoved();
            if (deadline.Left is var left && left == TimeSpan.Zero)
                return ReceiveResult.Nothing;
            if (!_side.Wait(_waiter, sender, left))
                _peers.DetectDeath(sender.Slot);
        }
    }

    /// <summary>
    /// Waits for the next object without blocking a thread of the caller: one thread of the arena waits for all such calls.
    /// </summary>
    /// <param name="token">Ends the waiting. No object is lost: the call is either cancelled, or has one.</param>
    /// <returns>As <see cref="Receive"/>.</returns>
    /// <exception cref="OperationCanceledException">The token was cancelled first.</exception>
    /// <inheritdoc cref="Receive" path="/exception"/>
    public Task<SharedObject?> ReceiveAsync(CancellationToken token = default)
    {
        AnnounceWaiting();
        return new PendingCall<SharedObject?>(TryOnce, () => IsReady, () => _peers.DetectDeath(_side.Port.SenderEnd.Slot))
            .Begin(_work, _peers.WakeEvents.OfWaiter(_peers.OwnSlot), token);
    }

    /// <summary>Closes this end. Objects in flight wait for another receiver while the sender exists.</summary>
    /// <remarks>Calling it again does nothing.</remarks>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            _close();
        }
    }

    private (bool IsDone, SharedObject? Received) TryOnce() =>
        (TryReceive(TimeSpan.Zero, out SharedObject? received) != ReceiveResult.Nothing, received);

    /// <summary>Whether receiving would return or throw something at once.</summary>
    internal bool IsReady =>
        _side.HasMore || IsDisposed || _peers.Identity.IsRemoved || _side.Port.SenderEnd is { WasClosed: true } or { WasLost: true };

    /// <summary>The slot of the sender; -1 if there is none.</summary>
    internal int SenderSlot => _side.Port.SenderEnd.Slot;

    /// <summary>Whether it was opened by the arena object of this peer table.</summary>
    internal bool IsOf(PeerTable peers) => ReferenceEquals(_peers, peers);

    /// <summary>Makes senders signal the waiter event of the process, too.</summary>
    internal void AnnounceWaiting() => _side.AnnounceWaiting(_peers.OwnSlot);

    internal bool IsDisposed => Volatile.Read(ref _isDisposed);

    private bool TryReceiveOnce(out SharedObject? received)
    {
        lock (_lock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            received = _side.TryTakeLocked(out Reference reference, out long lengthBytes)
                ? new SharedObject(_objects, _refCounts, reference, lengthBytes, isWritable: false)
                : null;
            return received != null;
        }
    }

    // All is received: a sender that is gone, or has closed the port, has nothing in flight any more.
    private void ReclaimAbandoned(PortEnd sender)
    {
        _peers.WakeEvents.SignalIfClosed(_side.Port);
        if (_peers.IsOther(sender.Slot))
            _peers.ReclaimAbandoned();
    }
}
