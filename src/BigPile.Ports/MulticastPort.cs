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

/// <summary>The sending end of a multicast port: one process sends to up to 64 receivers, each object once and without a copy.</summary>
/// <remarks>
/// Each receiver gets the objects that are sent after it was opened, in order. Without receivers sending succeeds, and nothing is kept. The
/// sender's process holds a sent object until all receivers have it, and until that process checks: every few messages, and when some
/// process finds the arena full. A receiver that died counts until its death is detected; a sender that waits for it does that. Thread
/// safety: all members may be called concurrently.
/// </remarks>
public sealed class MulticastPort : IDisposable, ISendingEnd
{
    private const int PartLostAtOnce = 16;
    private const int PassesBetweenChecks = 16;

    private readonly MulticastSenderSide _side;
    private readonly MulticastTable _ports;
    private readonly RefCounts _refCounts;
    private readonly PeerTable _peers;
    private readonly SpinThenWait _waiter;
    private readonly PendingWork _work;
    private readonly SlowReceiverPolicy _whenSlow;
    private readonly int _lostAtOnce;
    private int _passes;
    private bool _isDisposed;

    internal MulticastPort(
        string name, MulticastSenderSide side, MulticastTable ports, RefCounts refCounts, PeerTable peers, SpinThenWait waiter,
        PendingWork work, SlowReceiverPolicy whenSlow)
    {
        Name = name;
        _side = side;
        _ports = ports;
        _refCounts = refCounts;
        _peers = peers;
        _waiter = waiter;
        _work = work;
        _whenSlow = whenSlow;
        _lostAtOnce = Math.Max(1, side.Depth / PartLostAtOnce);
    }

    /// <summary>The port's name.</summary>
    public string Name { get; }

    /// <summary>The number of receivers that were not cut off.</summary>
    public int ReceiverCount => _side.Record.CountListeners();

    /// <summary>Sends an object to all receivers. The caller still holds it; no one may write it any more.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <exception cref="ArgumentException">The object is of another arena.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed, or the port closed, perhaps during the call.</exception>
    /// <exception cref="PortFullException">A receiver is behind by the whole depth, and the policy is to fail.</exception>
    /// <exception cref="InvalidDataException">Another process wrote over the port.</exception>
    public void Send(SharedObject sent)
    {
        if (!TrySend(sent, _whenSlow == SlowReceiverPolicy.Fail ? TimeSpan.Zero : Timeout.InfiniteTimeSpan))
            throw Full();
    }

    /// <summary>As <see cref="Send"/>, but never waits.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <returns><see langword="false"/> if a receiver is behind by the whole depth, and the policy is to wait or fail.</returns>
    /// <inheritdoc cref="Send" path="/exception"/>
    public bool TrySend(SharedObject sent) => TrySend(sent, TimeSpan.Zero);

    /// <summary>As <see cref="Send"/>, but waits at most for a timeout, whatever the policy.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns><see langword="false"/> if a receiver stayed behind by the whole depth.</returns>
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
            if (TrySendOnce(sent, out long oldest))
                return true;
            if (deadline.Left is var left && left == TimeSpan.Zero && !HasLostSlow(oldest))
                return false;
            if (!_waiter.Wait(_side.Port.Space, new SlowestAwaited(_side.Record, oldest), left))
                DetectDead(oldest);
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
        if (_whenSlow == SlowReceiverPolicy.Fail)
            throw Full();
        Volatile.Write(ref _side.Port.SenderWatches, 1); // adding the call is a full fence
        return new PendingCall<bool>(() => TryOnce(sent), IsWorthTrying, () => DetectDead(Volatile.Read(ref _side.Port.Reclaimed)))
            .Begin(_work, _peers.WakeEvents.OfWaiter(_peers.OwnSlot), token);
    }

    /// <summary>Waits for a number of receivers: earlier messages would reach fewer of them.</summary>
    /// <param name="receivers">The number of receivers, from 0 to 64.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns><see langword="false"/> if there were fewer all the time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The port was closed, perhaps during the call.</exception>
    public bool WaitForReceivers(int receivers, TimeSpan timeout)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(receivers);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(receivers, MulticastRecord.MaxReceivers);
        var deadline = new Deadline(timeout);
        while (true)
        {
            ObjectDisposedException.ThrowIf(IsDisposed, this);
            _peers.Identity.ThrowIfRemoved();
            if (ReceiverCount >= receivers)
                return true;
            if (deadline.Left is var left && left == TimeSpan.Zero)
                return false;
            _waiter.Wait(_side.Port.Space, new ReceiversAwaited(_side.Record, receivers), left);
        }
    }

    /// <summary>Closes this end: receivers get what was sent, and then the end of the stream. Calling it again does nothing.</summary>
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

    bool ISendingEnd.Reclaim()
    {
        lock (_side.SendLock)
        {
            _side.ReclaimLocked();
            return _isDisposed && _side.IsDrainedLocked && _ports.TryReleaseSenderLocked(_side);
        }
    }

    private bool IsDisposed => Volatile.Read(ref _isDisposed);

    private bool TrySendOnce(SharedObject sent, out long oldest)
    {
        lock (_side.SendLock)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            bool isSent;
            while (!(isSent = _side.TrySendLocked(sent.Reference))
                && _whenSlow is SlowReceiverPolicy.DropOldest or SlowReceiverPolicy.Disconnect)
            {
                if (_passes++ % PassesBetweenChecks == PassesBetweenChecks - 1)
                    DetectDead(_side.ReclaimedLocked); // a dead receiver never advances, so it keeps alive all that it could receive
                _side.PassSlowLocked(_whenSlow == SlowReceiverPolicy.Disconnect, _lostAtOnce);
            }
            if (isSent)
                sent.MakeReadOnly();
            oldest = _side.ReclaimedLocked;
            return isSent;
        }
    }

    private (bool IsDone, bool IsSent) TryOnce(SharedObject sent)
    {
        bool isSent = TrySend(sent);
        return (isSent, isSent);
    }

    private bool IsWorthTrying()
    {
        long oldest = Volatile.Read(ref _side.Port.Reclaimed);
        return _side.Record.Slowest(long.MaxValue, oldest) != oldest || IsDisposed || _peers.Identity.IsRemoved;
    }

    private bool HasLostSlow(long oldest)
    {
        DetectDead(oldest);
        return _side.Record.Slowest(long.MaxValue, oldest) > oldest;
    }

    private void DetectDead(long oldest) => _peers.DetectDeath(_side.Record.SlotsUpTo(oldest));

    private PortFullException Full() => new($"A receiver of the port '{Name}' is behind by the port's depth, {_side.Depth:N0}.");
}
