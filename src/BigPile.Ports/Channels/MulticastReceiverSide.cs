using System;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a multicast port, as seen by one receiver.</summary>
/// <remarks>Thread safety: the caller holds the receiver's lock.</remarks>
internal sealed class MulticastReceiverSide : ReceivingSide
{
    private readonly MulticastRecord _record;
    private readonly MemberRecord _member;
    private readonly Ring _ring;
    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private readonly WakeEvents _wakeEvents;
    private readonly PortTestHooks _hooks;
    // The number that this receiver expects next. A higher cursor means that the sender has passed it.
    private long _next;
    private long _missed;

    internal MulticastReceiverSide(
        MulticastRecord record, int number, Ring ring, ObjectTable objects, RefCounts refCounts, WakeEvents wakeEvents,
        PortTestHooks hooks) : base(record.Port)
    {
        _record = record;
        Number = number;
        _member = record.Member(number);
        _ring = ring;
        _objects = objects;
        _refCounts = refCounts;
        _wakeEvents = wakeEvents;
        _hooks = hooks;
        _next = Volatile.Read(ref _member.Cursor);
    }

    /// <summary>The number of its receiver record.</summary>
    internal int Number { get; }

    internal MulticastRecord Record => _record;

    /// <summary>How many objects it has missed, because the sender passed it.</summary>
    internal long Missed => Volatile.Read(ref _missed);

    internal override bool HasMore => Volatile.Read(ref Port.Tail) != Volatile.Read(ref _member.Cursor);

    /// <inheritdoc/>
    /// <exception cref="SlowReceiverException">The sender has cut this receiver off.</exception>
    internal override bool TryTakeLocked(out Reference reference, out long lengthBytes)
    {
        while (true)
        {
            (long cursor, long tail) = ReadCounters();
            reference = default;
            lengthBytes = 0;
            if (cursor == tail)
                return false;
            if (ReadEntry(cursor) is not { } next)
                continue;
            reference = next;
            _hooks.Pass(PortCrashPoint.EntryRead);
            bool isTaken = _hooks.Has(PortMutation.HoldsAfterTaking)
                ? TryTakeWrongly(cursor, reference, out lengthBytes)
                : TryTake(cursor, reference, out lengthBytes);
            if (!isTaken)
                continue;
            Count(cursor);
            _hooks.Pass(PortCrashPoint.EntryTaken);
            if (Volatile.Read(ref Port.Taken) == cursor)
                _wakeEvents.SignalSpace(Port); // it was among the slowest
            return true;
        }
    }

    internal override bool Wait(SpinThenWait waiter, PortEnd sender, TimeSpan timeout) =>
        waiter.Wait(_record.Data, new NumberAwaited(Port, _member, sender), timeout);

    internal override void AnnounceWaiting(int slot) => Interlocked.Or(ref _record.Watchers, 1UL << slot);

    private (long Cursor, long Tail) ReadCounters()
    {
        while (true)
        {
            long cursor = Volatile.Read(ref _member.Cursor);
            long tail = Volatile.Read(ref Port.Tail);
            if (cursor == MemberRecord.CutOff)
                throw new SlowReceiverException("The sender has cut off this receiver: it was behind by the port's depth. Open another.");
            if (cursor >= _next && cursor <= tail && tail - cursor <= _ring.Depth)
                return (cursor, tail);
            if (Volatile.Read(ref _member.Cursor) == cursor)
                throw Ring.Damaged($"a receiver is at {cursor} and was at {_next}, and {tail} were sent");
        }
    }

    // Returns null if the sender has passed this receiver meanwhile.
    private Reference? ReadEntry(long number)
    {
        if (_ring.TryRead(number, out Reference reference))
            return reference;
        return IsAt(number) ? throw Ring.Damaged($"number {number} is {reference.Word:X}") : null;
    }

    private bool TryTake(long number, Reference reference, out long lengthBytes)
    {
        // Hold first, then advance the cursor: until then the sender's reference keeps the object alive. A sender that passes this receiver
        // swaps the same word, so one of the two fails.
        _refCounts.AddRef(reference.Head);
        _hooks.Pass(PortCrashPoint.EntryHeld);
        bool isObject = _objects.TryResolve(reference, out lengthBytes);
        if (isObject && Interlocked.CompareExchange(ref _member.Cursor, number + 1, number) == number)
            return true;
        _refCounts.Release(reference.Head);
        if (!isObject && IsAt(number))
            throw Ring.Damaged($"number {number} is no object");
        return false; // the sender has passed this receiver
    }

    private bool TryTakeWrongly(long number, Reference reference, out long lengthBytes)
    {
        _ = _objects.TryResolve(reference, out lengthBytes);
        if (Interlocked.CompareExchange(ref _member.Cursor, number + 1, number) != number)
            return false;
        _hooks.Pass(PortCrashPoint.EntryHeld);
        _refCounts.AddRef(reference.Head);
        return true;
    }

    private void Count(long taken)
    {
        Volatile.Write(ref _missed, _missed + (taken - _next));
        _next = taken + 1;
    }

    private bool IsAt(long number) => Volatile.Read(ref _member.Cursor) == number;
}
