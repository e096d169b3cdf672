using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a multicast port, as the process sees it that sends: one hold of its own backs an object for all.</summary>
/// <remarks>
/// How far the receivers are it looks each few messages, and when the ring is full by what it knows: so a message costs it the same for
/// one receiver and for many. Of the shared words it believes nothing that could have it give back twice: a cursor behind what was sent
/// says no more than that all of it was received. Thread safety: the caller has <see cref="SendLock"/>.
/// </remarks>
internal sealed class MulticastSenderSide : ISendingSide
{
    private const int MostBetweenPolls = 16;

    private readonly RefCounts _refCounts;
    private readonly WakeEvents _wakeEvents;
    private readonly PortTestHooks _hooks;
    private readonly int _depth;
    private readonly int _pollInterval;
    private readonly int[] _backed;
    private long _tail;
    private long _reclaimed;
    private long _nextPoll;
    private PortEnd? _retiredEnd;
    private volatile bool _isSuperseded;

    /// <summary>Takes over what is on the way already. The caller has the control lock, so that nobody comes meanwhile.</summary>
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

    /// <summary>Whether the port's end is another side's, which backs what is on the way, too.</summary>
    internal bool IsSuperseded => _isSuperseded || (_retiredEnd is { } retired && retired != Port.SenderEnd);

    /// <summary>Whether all that was sent has been received, and given back.</summary>
    internal bool IsDrainedLocked => _reclaimed == _tail;

    /// <summary>Where the slowest receiver was when this was last looked at.</summary>
    internal long ReclaimedLocked => _reclaimed;

    /// <summary>Sends an object. Where nobody listens nothing is kept.</summary>
    /// <returns><see langword="false"/> when a receiver is behind by the whole depth.</returns>
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

    /// <summary>Has all who are behind by the whole depth lose what is oldest, or cuts them off. There is room then.</summary>
    internal void PassSlowLocked(bool areCutOff, int lostAtOnce)
    {
        Record.Pass(_reclaimed + 1, areCutOff ? MemberRecord.CutOff : _reclaimed + Math.Min(lostAtOnce, _tail - _reclaimed));
        _hooks.Pass(PortCrashPoint.SlowPassed);
        ReclaimLocked();
    }

    /// <summary>Gives back what all have received; when this has closed the port, and another sender backs it, everything.</summary>
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

    /// <summary>Nothing is sent any more from here. Another sender may be.</summary>
    internal void RetireLocked() => _retiredEnd = Port.SenderEnd;

    public void Supersede() => _isSuperseded = true;

    // Nobody listens. All is given back first: else one who comes now could begin with what is older, and see a gap.
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

    // Who comes meanwhile has seen the new floor, or is seen here, and what it begins with is kept.
    private long RaiseFloor(long floor)
    {
        _hooks.Pass(PortCrashPoint.SlowestFound);
        Volatile.Write(ref Port.Taken, floor);
        _hooks.Pass(PortCrashPoint.FloorRaised);
        Interlocked.MemoryBarrier(); // pairs with the one of who joins
        if (_hooks.Has(PortMutation.ReclaimsWithoutRecheck))
            return floor;
        long slowest = Record.Slowest(floor, _reclaimed);
        if (slowest < floor)
            Volatile.Write(ref Port.Taken, slowest);
        return slowest;
    }
}
