using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as seen by the sender: one reference of its own holds each object in flight, for all receivers.</summary>
/// <remarks>
/// Remembers itself what it has put into the ring. Of the shared words it trusts only the receivers' counters, within bounds. It scans the
/// cursors of many receivers every few messages, and when the ring looks full: so the cost of a message does not depend on their number.
/// Thread safety: the caller holds <see cref="SendLock"/>.
/// </remarks>
internal sealed class SenderSide<TPort> where TPort : struct, IPortRecord<TPort>
{
    private const string Structure = "Sender of number";
    private const int MostBetweenScans = 16;

    private readonly RefCounts _refCounts;
    private readonly WakeEvents _wakeEvents;
    private readonly int _depth;
    private readonly int _scanInterval;
    // The first granule of each object in flight, by number modulo depth. Private, so a corrupt ring cannot change what is released.
    private readonly int[] _backed;
    // The number of the next object to send.
    private long _tail;
    // The number of the oldest object that is held; all before it are released.
    private long _reclaimed;
    // The tail at which the receivers' counters are read next.
    private long _nextScan;
    // The port's sending end when this side was closed; null while it is open.
    private PortEnd? _retiredEnd;
    private volatile bool _isSuperseded;

    /// <summary>Takes over what is in flight. The caller holds the control lock, so that no receiver joins meanwhile.</summary>
    internal SenderSide(TPort record, Ring ring, RefCounts refCounts, WakeEvents wakeEvents)
    {
        Record = record;
        _refCounts = refCounts;
        _wakeEvents = wakeEvents;
        _depth = ring.Depth;
        _scanInterval = TPort.IsMulticast ? Math.Clamp(_depth / 4, 1, MostBetweenScans) : 0;
        _backed = new int[_depth];
        (_reclaimed, _tail) = ring.ReadCounters();
        if (TPort.IsMulticast)
            _reclaimed = _tail - _depth; // not the floor: a sender that died may have raised it past a receiver that was joining
        _reclaimed = ReadPassed();
        Debug.Assert(_reclaimed <= _tail && _tail - _reclaimed <= _depth, "Each object in flight has a place of its own.");
        var inFlight = new Reference[_tail - _reclaimed];
        for (int i = 0; i < inFlight.Length; i++)
            inFlight[i] = ring.Read(_reclaimed + i); // all of them first: where one is damaged, none is held
        for (int i = 0; i < inFlight.Length; i++)
            Hold(_reclaimed + i, inFlight[i]);
        if (TPort.IsMulticast)
            Volatile.Write(ref Port.Taken, _reclaimed);
        Volatile.Write(ref Port.Reclaimed, _reclaimed);
    }

    internal Lock SendLock { get; } = new();

    internal int Depth => _depth;

    internal TPort Record { get; }

    internal PortRecord Port => Record.Port;

    /// <summary>Whether another side owns the port's end, and holds what is in flight, too.</summary>
    internal bool IsSuperseded => _isSuperseded || (_retiredEnd is { } retired && retired != Port.SenderEnd);

    /// <summary>Whether all that was sent has been received and released.</summary>
    internal bool IsDrainedLocked => _reclaimed == _tail;

    /// <summary>Where the slowest receiver was when that was last read. May be read without the lock.</summary>
    internal long Reclaimed => Volatile.Read(ref _reclaimed);

    /// <summary>Sends an object. Many receivers may be none: then nothing is kept.</summary>
    /// <returns><see langword="false"/> if a receiver is behind by the whole depth.</returns>
    /// <exception cref="ObjectDisposedException">The object was disposed.</exception>
    internal bool TrySendLocked(SharedObject sent)
    {
        Debug.Assert(SendLock.IsHeldByCurrentThread, "Two threads would send the same number.");
        Debug.Assert(_retiredEnd == null, "A closed end sends no more: another sender may have the numbers behind.");
        if (TPort.IsMulticast && IsDroppedLocked())
            return true;
        if (_tail >= _nextScan || _tail - _reclaimed == _depth)
            ReclaimLocked();
        if (_tail - _reclaimed == _depth)
            return false;
        Debug.Assert(_reclaimed <= _tail && _tail - _reclaimed < _depth, "What is in flight fits into the ring.");
        Reference reference = sent.Reference;
        Hold(_tail, reference);
        if (sent.IsDisposed)
        {
            _refCounts.Release(reference.Head); // the caller may have let go before: then another object may begin there
            throw new ObjectDisposedException(typeof(SharedObject).FullName);
        }
        Port.Entry(_tail, _depth).Write(reference);
        CrashPoints.Pass(PortCrashPoint.EntryWritten);
        Volatile.Write(ref Port.Tail, ++_tail);
        CrashPoints.Pass(PortCrashPoint.EntrySent);
        _wakeEvents.SignalData(Record);
        return true;
    }

    /// <summary>
    /// Makes all receivers that are behind by the whole depth lose the oldest objects, or cuts them off. There is space then.
    /// </summary>
    internal void PassSlowLocked(bool areCutOff, int lostAtOnce)
    {
        Debug.Assert(SendLock.IsHeldByCurrentThread, "Where the slowest receiver is changes under the lock.");
        Debug.Assert(_tail - _reclaimed == _depth, "Objects are lost only where the ring is full.");
        Record.Pass(_reclaimed, areCutOff ? MemberRecord.CutOff : _reclaimed + Math.Min(lostAtOnce, _tail - _reclaimed));
        CrashPoints.Pass(PortCrashPoint.SlowPassed);
        ReclaimLocked();
    }

    /// <summary>Releases what all receivers have received; or everything, if this side is closed and another one holds it.</summary>
    /// <exception cref="InvalidDataException">The counter of the only receiver is out of range.</exception>
    internal void ReclaimLocked()
    {
        Debug.Assert(SendLock.IsHeldByCurrentThread, "Two threads would release the same object.");
        _nextScan = _tail + _scanInterval;
        long passed = ReadPassed();
        if (passed == _reclaimed)
            return;
        if (TPort.IsMulticast && _retiredEnd == null)
            passed = RaiseFloor(passed);
        Debug.Assert(passed >= _reclaimed && passed <= _tail, "What was released stays so, and what was not sent is not released.");
        while (_reclaimed < passed)
            _refCounts.Release(_backed[_reclaimed++ & (_depth - 1)]);
        if (!IsSuperseded)
            Volatile.Write(ref Port.Reclaimed, _reclaimed);
    }

    /// <summary>Releases the objects that were received, unless the port is damaged.</summary>
    internal bool TryReclaimLocked()
    {
        try
        {
            ReclaimLocked();
            return true;
        }
        catch (InvalidDataException)
        {
            return false; // its references end when the arena is closed
        }
    }

    /// <summary>Ends sending by this side. Another sender may follow.</summary>
    internal void RetireLocked()
    {
        Debug.Assert(SendLock.IsHeldByCurrentThread, "Nothing is sent any more.");
        Debug.Assert(_retiredEnd == null, "The end of a second closing might be that of a successor.");
        _retiredEnd = Port.SenderEnd;
    }

    /// <summary>
    /// Tells this side that its process has opened the port again: the new side holds what is in flight, and owns the port's end.
    /// </summary>
    internal void Supersede() => _isSuperseded = true;

    /// <summary>Checks what is in flight against the ring and the references, for tests.</summary>
    internal void CheckInvariants()
    {
        lock (SendLock)
        {
            Invariant.Between(Structure, _tail, "objects in flight", _tail - _reclaimed, 0, _depth);
            for (long number = _reclaimed; number < _tail; number++)
            {
                int head = _backed[number & (_depth - 1)];
                Invariant.True(Structure, number, "held", _refCounts.IsHeld(head));
                if (!IsSuperseded && Port.Entry(number, _depth).TryRead(out Reference reference))
                    Invariant.Equal(Structure, number, "first granule", reference.Head, head);
            }
            if (IsSuperseded)
                return; // another side has these words
            Invariant.Equal(Structure, _tail, "tail", Volatile.Read(ref Port.Tail), _tail);
            Invariant.Equal(Structure, _tail, "released objects", Volatile.Read(ref Port.Reclaimed), _reclaimed);
        }
    }

    private void Hold(long number, Reference reference)
    {
        Debug.Assert(number >= _reclaimed && number - _reclaimed < _depth, "What had the place before is released.");
        _refCounts.AddRef(reference.Head);
        _backed[number & (_depth - 1)] = (int)reference.Head;
    }

    // Reads the counters before the end: who sees a successor's numbers then sees its end, too.
    private long ReadPassed()
    {
        long passed = Record.Slowest(_tail, _reclaimed);
        if (IsSuperseded)
            return _tail;
        return passed >= _reclaimed && passed <= _tail
            ? passed
            : throw Ring.Damaged($"the receiver is at {passed}, and not between {_reclaimed} and {_tail}");
    }

    // No receivers. Release everything first: a receiver that joins now could otherwise begin with older objects, and see a gap.
    private bool IsDroppedLocked()
    {
        while (!Record.HasReceiver)
        {
            CrashPoints.Pass(PortCrashPoint.NobodyFound);
            if (IsDrainedLocked)
                return true;
            ReclaimLocked();
        }
        return false;
    }

    // A receiver that joins meanwhile either sees the new floor, or is seen by the second scan, and what it begins with is kept.
    private long RaiseFloor(long floor)
    {
        Debug.Assert(floor > _reclaimed && floor <= _tail, "The floor rises to what was sent.");
        CrashPoints.Pass(PortCrashPoint.SlowestFound);
        Volatile.Write(ref Port.Taken, floor);
        CrashPoints.Pass(PortCrashPoint.FloorRaised);
        Interlocked.MemoryBarrier(); // pairs with the full fence of a joining receiver
        if (PortMutation.ReclaimsWithoutRecheck)
            return floor;
        long slowest = Record.Slowest(floor, _reclaimed);
        if (slowest < floor)
            Volatile.Write(ref Port.Taken, slowest);
        return slowest;
    }
}
