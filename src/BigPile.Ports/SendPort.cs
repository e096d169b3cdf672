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

/// <summary>The sending end of a one-way port: objects arrive in order, and without a copy.</summary>
/// <remarks>
/// A port has one sender and one receiver at a time. The sender's process holds a sent object until it is received, and until that process
/// next sends there, or some process finds the arena full. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class SendPort : IDisposable, ISendingEnd
{
    private readonly SenderSide _side;
    private readonly PortTable _ports;
    private readonly RefCounts _refCounts;
    private readonly PeerTable _peers;
    private readonly SpinThenWait _waiter;
    private readonly PendingWork _work;
    private readonly FullPolicy _whenFull;
    private bool _isDisposed;

    internal SendPort(
        string name, SenderSide side, PortTable ports, RefCounts refCounts, PeerTable peers, SpinThenWait waiter, PendingWork work,
        FullPolicy whenFull)
    {
        Name = name;
        _side = side;
        _ports = ports;
        _refCounts = refCounts;
        _peers = peers;
        _waiter = waiter;
        _work = work;
        _whenFull = whenFull;
    }

    /// <summary>The port's name.</summary>
    public string Name { get; }

    /// <summary>Sends an object. The caller still holds it; no one may write it any more.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <exception cref="ArgumentException">The object is of another arena.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed, or the port closed, perhaps during the call.</exception>
    /// <exception cref="PortFullException">The port is full, and the policy is to fail.</exception>
    /// <exception cref="PeerLostException">The port is full, the policy is to wait, and the receiver is gone.</exception>
    /// <exception cref="InvalidDataException">Another process wrote over the port.</exception>
    public void Send(SharedObject sent)
    {
        if (!TrySend(sent, _whenFull == FullPolicy.Fail ? TimeSpan.Zero : Timeout.InfiniteTimeSpan))
            throw new PortFullException($"The port '{Name}' is full. Receive more, create it with more depth, or use another FullPolicy.");
    }

    /// <summary>As <see cref="Send"/>, but never waits.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <returns><see langword="false"/> if the port is full, and the policy is not to drop.</returns>
    /// <inheritdoc cref="Send" path="/exception"/>
    public bool TrySend(SharedObject sent) => TrySend(sent, TimeSpan.Zero);

    /// <summary>As <see cref="Send"/>, but waits at most for a timeout, whatever the policy.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns><see langword="false"/> if the port stayed full.</returns>
    /// <inheritdoc cref="Send" path="/exception"/>
    public bool TrySend(SharedObject sent, TimeSpan timeout)
    {
        ArgumentNullException.ThrowIfNull(sent);
        if (!sent.IsHeldIn(_refCounts))
        {
            throw new ArgumentException(
                "The object is of another arena, or of another opening of this one: make it where it is sent.", nameof(sent));
        }
        var deadline = new Deadline(timeout);
        while (true)
        {
            _peers.Identity.ThrowIfRemoved();
            PortEnd receiver = _side.Port.ReceiverEnd;
            if (TrySendOnce(sent, out long taken))
                return true;
            if (deadline.Left is var left && left == TimeSpan.Zero)
                return false;
            if (IsGone(receiver))
                throw Gone(receiver);
            if (!_waiter.Wait(_side.Port.Space, new SpaceAwaited(_side.Port, taken, receiver), left))
                _peers.DetectDeath(receiver.Slot);
        }
    }

    /// <summary>
    /// As <see cref="Send"/>, but waits without blocking a thread of the caller: one thread of the arena waits for all such calls.
    /// </summary>
    /// <param name="sent">An object of the same arena, which the caller holds until the call is over.</param>
    /// <param name="token">Ends the waiting: either the call is cancelled, or the object is sent.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled first.</exception>
    /// <inheritdoc cref="Send" path="/exception"/>
    public Task SendAsync(SharedObject sent, CancellationToken token = default)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        if (TrySend(sent))
            return Task.CompletedTask;
        if (_whenFull == FullPolicy.Fail)
            throw new PortFullException($"The port '{Name}' is full. Receive more, create it with more depth, or use another FullPolicy.");
        Volatile.Write(ref _side.Port.SenderWatches, 1); // adding the call is a full fence
        return new PendingCall<bool>(() => TryOnce(sent), IsWorthTrying, () => _peers.DetectDeath(_side.Port.ReceiverEnd.Slot))
            .Begin(_work, _peers.WakeEvents.OfWaiter(_peers.OwnSlot), token);
    }

    /// <summary>Closes this end: the receiver gets what was sent, and then the end of the stream. Calling it again does nothing.</summary>
    public void Dispose()
    {
        lock (_side.SendLock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            _ports.CloseSenderLocked(_side);
        }
    }

    bool ISendingEnd.IsDisposed => IsDisposed;

    private bool IsDisposed => Volatile.Read(ref _isDisposed);

    bool ISendingEnd.Reclaim()
    {
        lock (_side.SendLock)
        {
            bool isSound = _side.TryReclaimLocked();
            return _isDisposed && (!isSound || (_side.IsDrainedLocked && _ports.TryReleaseSenderLocked(_side)));
        }
    }

    private (bool IsDone, bool IsSent) TryOnce(SharedObject sent)
    {
        PortEnd receiver = _side.Port.ReceiverEnd;
        bool isSent = TrySend(sent);
        return !isSent && IsGone(receiver) ? throw Gone(receiver) : (isSent, isSent);
    }

    private bool IsWorthTrying() =>
        Volatile.Read(ref _side.Port.Taken) != Volatile.Read(ref _side.Port.Reclaimed) || IsDisposed || IsGone(_side.Port.ReceiverEnd)
            || _peers.Identity.IsRemoved;

    private static bool IsGone(PortEnd receiver) => receiver.WasClosed || receiver.WasLost;

    private bool TrySendOnce(SharedObject sent, out long taken)
    {
        lock (_side.SendLock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            bool isSent;
            while (!(isSent = _side.TrySendLocked(sent.Reference)) && _whenFull == FullPolicy.DropOldest)
                _side.DropOldestLocked();
            if (isSent)
                sent.MakeReadOnly();
            taken = _side.ReclaimedLocked;
            return isSent;
        }
    }

    private PeerLostException Gone(PortEnd receiver) => new(
        $"The port '{Name}' is full, and its receiver {(receiver.WasLost ? "died" : "has closed it")}. Another one may open it and go on.");
}
