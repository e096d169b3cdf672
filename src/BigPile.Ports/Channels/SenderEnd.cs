using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>A sending end, to one receiver or to many: trying, waiting, what happens when the port is full, and closing.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class SenderEnd<TPort>(
    SenderSide<TPort> side, PortTable<TPort> ports, RefCounts refCounts, PeerTable peers, SpinThenWait waiter, PendingWork work,
    SenderOptions options) : ISendingEnd where TPort : struct, IPortRecord<TPort>
{
    private const int PartLostAtOnce = 16;
    private const int PassesBetweenChecks = 16;

    private readonly int _lostAtOnce = TPort.IsMulticast ? Math.Max(1, side.Depth / PartLostAtOnce) : 1;
    private int _passes;
    private bool _isDisposed;

    internal TPort Record => side.Record;

    public bool IsDisposed => Volatile.Read(ref _isDisposed);

    internal void Send(SharedObject sent)
    {
        if (!TrySend(sent, options.Fails ? TimeSpan.Zero : Timeout.InfiniteTimeSpan))
            throw new PortFullException(options.WhenFull);
    }

    internal bool TrySend(SharedObject sent, TimeSpan timeout)
    {
        ArgumentNullException.ThrowIfNull(sent);
        if (!sent.IsHeldIn(refCounts))
        {
            throw new ArgumentException(
                "The object is of another arena, or of another opening of this one: make it where it is sent.", nameof(sent));
        }
        var deadline = new Deadline(timeout);
        while (true)
        {
            peers.Identity.ThrowIfRemoved();
            PortEnd receiver = Record.ReceiverEnd;
            if (TrySendOnce(sent, out long reclaimed))
                return true;
            if (deadline.Left is var left && left == TimeSpan.Zero && !HasLostSlow(reclaimed))
                return false;
            ThrowIfGone(receiver);
            if (!Wait(new SpaceAwaited<TPort>(Record, reclaimed, receiver), left))
                DetectDead(reclaimed);
        }
    }

    internal Task SendAsync(SharedObject sent, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled(token);
        if (TrySend(sent, TimeSpan.Zero))
            return Task.CompletedTask;
        if (options.Fails)
            throw new PortFullException(options.WhenFull);
        Volatile.Write(ref side.Port.SenderWatches, 1); // adding the call is a full fence
        return new PendingCall<bool>(() => TryOnce(sent), IsWorthTrying, () => DetectDead(side.Reclaimed))
            .Begin(work, peers.WakeEvents.OfWaiter(peers.OwnSlot), token);
    }

    /// <summary>Waits for a condition that receivers change, at most for a slice.</summary>
    internal bool Wait<TEvent>(TEvent awaited, TimeSpan timeout) where TEvent : struct, IAwaited =>
        waiter.Wait(side.Port.Space, awaited, timeout);

    internal void ThrowIfUnusable()
    {
        ThrowIfDisposed();
        peers.Identity.ThrowIfRemoved();
    }

    public void Dispose()
    {
        lock (side.SendLock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
            ports.CloseSenderLocked(side);
        }
    }

    public bool Reclaim()
    {
        lock (side.SendLock)
        {
            bool isSound = side.TryReclaimLocked();
            return _isDisposed && (!isSound || (side.IsDrainedLocked && ports.TryReleaseSenderLocked(side)));
        }
    }

    public void CheckInvariants() => side.CheckInvariants();

    private bool TrySendOnce(SharedObject sent, out long reclaimed)
    {
        lock (side.SendLock)
        {
            ThrowIfDisposed();
            bool isSent;
            while (!(isSent = side.TrySendLocked(sent)) && options.PassesSlow)
            {
                if (TPort.IsMulticast && _passes++ % PassesBetweenChecks == PassesBetweenChecks - 1)
                    DetectDead(side.Reclaimed); // a dead receiver never advances, so it keeps alive all that it could receive
                side.PassSlowLocked(options.CutsOff, _lostAtOnce);
            }
            if (isSent)
                sent.MakeReadOnly();
            reclaimed = side.Reclaimed;
            return isSent;
        }
    }

    private (bool IsDone, bool IsSent) TryOnce(SharedObject sent)
    {
        PortEnd receiver = Record.ReceiverEnd;
        bool isSent = TrySend(sent, TimeSpan.Zero);
        if (!isSent)
            ThrowIfGone(receiver);
        return (isSent, isSent);
    }

    private bool IsWorthTrying() =>
        HasSpace(side.Reclaimed) || IsDisposed || Record.ReceiverEnd.IsGone || peers.Identity.IsRemoved;

    // One of many that has died may be all that a sender waits for; the only one is looked for by those that wait.
    private bool HasLostSlow(long reclaimed)
    {
        if (!TPort.IsMulticast)
            return false;
        DetectDead(reclaimed);
        return HasSpace(reclaimed);
    }

    private bool HasSpace(long reclaimed) => Record.Slowest(long.MaxValue, reclaimed) != reclaimed;

    private void DetectDead(long reclaimed) => peers.DetectDeath(Record.SlotsUpTo(reclaimed));

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(IsDisposed, options.Type);

    private void ThrowIfGone(PortEnd receiver)
    {
        if (receiver.IsGone)
        {
            throw new PeerLostException(
                $"The port '{options.Name}' is full, and its receiver {(receiver.WasLost ? "died" : "has closed it")}. "
                + "Another one may open it and go on.");
        }
    }
}

/// <summary>A sending end, as its arena knows it: also a closed one, while objects of it are in flight.</summary>
internal interface ISendingEnd : IDisposable
{
    bool IsDisposed { get; }

    /// <summary>Releases the objects that were received.</summary>
    /// <returns>Whether the end is done: closed, with nothing in flight.</returns>
    bool Reclaim();

    /// <summary>Checks what is in flight, for tests.</summary>
    void CheckInvariants();
}

/// <summary>What a sending end is, and what it does if its port is full.</summary>
/// <param name="Type">The public type, which exceptions name.</param>
/// <param name="Name">The port's name.</param>
/// <param name="WhenFull">What an exception says then.</param>
/// <param name="Fails">Whether to throw it.</param>
/// <param name="PassesSlow">Whether receivers lose the oldest objects.</param>
/// <param name="CutsOff">Whether they lose all.</param>
internal sealed record SenderOptions(Type Type, string Name, string WhenFull, bool Fails, bool PassesSlow, bool CutsOff = false);
