using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a multicast port, as seen by the sender: one reference of its own holds each object for all receivers.</summary>
/// <remarks>
/// Scans the cursors every few messages, and when the ring looks full: so the cost of a message does not depend on the number of receivers.
/// A corrupt cursor cannot make it release an object twice: a cursor beyond the tail only means that everything was received. Thread
/// safety: the caller holds <see cref="SendLock"/>.
/// </remarks>
internal sealed class MulticastSenderSide : ISendingSide
{
    private const int MostBetweenPolls = 16;

    private readonly RefCounts _refCounts;
    private readonly WakeEvents _wakeEvents;
    private readonly PortTestHooks _hooks;
    private readonly int _depth;
    private readonly int _pollInterval;
    // The first granule of each object in flight, by number modulo depth. Private, so a corrupt ring cannot change what is released.
    private readonly int[] _backed;
    // The number of the next object to send.
    private long _tail;
    // The number of the oldest object that is held; all before it are released.
    private long _reclaimed;
    // The tail at which the cursors are scanned next.
    private long _nextPoll;
    // The port's sending end when this side was closed; null while it is open.
    private PortEnd? _retiredEnd;
    private volatile bool _isSuperseded;

    /// <summary>Takes over what is in flight. The caller holds the control lock, so that no receiver joins meanwhile.</summary>
    internal MulticastSenderSide(MulticastRecord record, Ring ring, RefCounts refCounts, WakeEvents wakeEvents, PortTestHooks hooks)
    {
        Record = record;
        _refCounts = refCounts;
        _wakeEvents = wakeEvents;
        _hooks = hooks;
        _depth = ring.Depth;
        _pollInterval = Math.Clamp(_depth / 4, 1, MostBetweenPolls);
        _backed = new int[_depth];
        (long floor, _tail) = ring.ReadCounters();
        _reclaimed = Record.Slowest(_tail, floor);
        for (long number = _reclaimed; number < _tail; number++)
        {
            long head = ring.Read(number).Head;
            refCounts.AddRef(head);
            _backed[number & (_depth - 1)] = (int)head;
        }
        Volatile.Write(ref Port.Taken, _reclaimed);
        Volatile.Write(ref Port.Reclaimed, _reclaimed);
    }

    internal Lock SendLock { get; } = new();

    internal int Depth => _depth;

    internal MulticastRecord Record { get; }

    internal PortRecord Port => Record.Port;

    /// <summary>Whether another side owns the port's end, and holds what is in flight, too.</summary>
    internal bool IsSuperseded => _isSuperseded || (_retiredEnd is { } retired && retired != Port.SenderEnd);

    /// <summary>Whether all that was sent has been received and released.</summary>
    internal bool IsDrainedLocked => _reclaimed == _tail;

    /// <summary>Where the slowest receiver was at the last scan.</summary>
    internal long ReclaimedLocked => _reclaimed;

    /// <summary>Sends an object. Without receivers nothing is kept.</summary>
    /// <returns><see langword="false"/> if a receiver is behind by the whole depth.</returns>
    internal bool TrySendLocked(Reference reference)
    {
        if (IsDroppedLocked())
            return true;
        if (_tail >= _nextPoll || _tail - _reclaimed == _depth)
            ReclaimLocked();
        if (_tail - _reclaimed == _depth)
            return false;
        Debug.Assert(_reclaimed <= _tail && _tail - _reclaimed < _depth, "What is on the way fits into the ring.");
        _refCounts.AddRef(reference.Head);
        _backed[_tail & (_depth - 1)] = (int)reference.Head;
        Port.Entry(_tail, _depth).Write(reference);
        _hooks.Pass(PortCrashPoint.EntryWritten);
        Volatile.Write(ref Port.Tail, ++_tail);
        _hooks.Pass(PortCrashPoint.EntrySent);
        _wakeEvents.SignalData(Record);
        return true;
    }

    /// <summary>
    /// Makes all receivers that are behind by the whole depth lose the oldest objects, or cuts them off. There is space then.
    /// </summary>
    internal void PassSlowLocked(bool areCutOff, int lostAtOnce)
    {
        Record.Pass(_reclaimed + 1, areCutOff ? MemberRecord.CutOff : _reclaimed + Math.Min(lostAtOnce, _tail - _reclaimed));
        _hooks.Pass(PortCrashPoint.SlowPassed);
        ReclaimLocked();
    }

    /// <summary>Releases what all receivers have received; or everything, if this side is closed and another sender holds it.</summary>
    internal void ReclaimLocked()
    {
        _nextPoll = _tail + _pollInterval;
        bool isSuperseded = IsSuperseded;
        long slowest = isSuperseded ? _tail : Record.Slowest(_tail, _reclaimed);
        Debug.Assert(slowest >= _reclaimed && slowest <= _tail, "What was given back stays so.");
        if (slowest == _reclaimed)
            return;
        if (_retiredEnd == null)
            slowest = RaiseFloor(slowest);
        while (_reclaimed < slowest)
            _refCounts.Release(_backed[_reclaimed++ & (_depth - 1)]);
        if (!isSuperseded)
            Volatile.Write(ref Port.Reclaimed, _reclaimed);
    }

    /// <summary>Ends sending by this side. Another sender may follow.</summary>
    internal void RetireLocked() => _retiredEnd = Port.SenderEnd;

    public void Supersede() => _isSuperseded = true;

    // No receivers. Release everything first: a receiver that joins now could otherwise begin with older objects, and see a gap.
    private bool IsDroppedLocked()
    {
        while (Volatile.Read(ref Record.Members) == 0)
        {
            _hooks.Pass(PortCrashPoint.NobodyFound);
            if (IsDrainedLocked)
                return true;
            ReclaimLocked();
        }
        return false;
    }

    // A receiver that joins meanwhile either sees the new floor, or is seen by the second scan, and what it begins with is kept.
    private long RaiseFloor(long floor)
    {
        _hooks.Pass(PortCrashPoint.SlowestFound);
        Volatile.Write(ref Port.Taken, floor);
        _hooks.Pass(PortCrashPoint.FloorRaised);
        Interlocked.MemoryBarrier(); // pairs with the full fence of a joining receiver
        if (_hooks.Has(PortMutation.ReclaimsWithoutRecheck))
            return floor;
        long slowest = Record.Slowest(floor, _reclaimed);
        if (slowest < floor)
            Volatile.Write(ref Port.Taken, slowest);
        return slowest;
    }
}
