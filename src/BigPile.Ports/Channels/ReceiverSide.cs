using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Checking;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as seen by its receiver, or by one of many. Nothing that is read there is trusted.</summary>
/// <remarks>Thread safety: the caller holds the receiver's lock.</remarks>
internal sealed class ReceiverSide<TReceiver>(
    TReceiver receiver, Ring ring, ObjectTable objects, RefCounts refCounts, WakeEvents wakeEvents) : ReceivingSide(receiver.Port)
    where TReceiver : struct, IReceiverRecord
{
    // The number that this receiver expects next. A higher cursor means that the sender has passed it.
    private long _next = Volatile.Read(ref receiver.Cursor);
    private long _missed;

    internal TReceiver Record => receiver;

    /// <summary>How many objects it has missed, because the sender passed it.</summary>
    internal long Missed => Volatile.Read(ref _missed);

    internal override bool HasMore => Volatile.Read(ref Port.Tail) != Volatile.Read(ref receiver.Cursor);

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
            CrashPoints.Pass(PortCrashPoint.EntryRead);
            bool isTaken = PortMutation.HoldsAfterTaking
                ? TryTakeWrongly(cursor, reference, out lengthBytes)
                : TryTake(cursor, reference, out lengthBytes);
            if (!isTaken)
                continue;
            Count(cursor);
            CrashPoints.Pass(PortCrashPoint.EntryTaken);
            if (!TReceiver.IsMulticast || Volatile.Read(ref Port.Taken) == cursor)
                wakeEvents.SignalSpace(Port); // it was the only one, or among the slowest
            return true;
        }
    }

    internal override bool Wait(SpinThenWait waiter, PortEnd sender, TimeSpan timeout) =>
        waiter.Wait(receiver.Data, new DataAwaited<TReceiver>(receiver, sender), timeout);

    internal override void AnnounceWaiting(int slot) => receiver.AnnounceWaiting(slot);

    private (long Cursor, long Tail) ReadCounters()
    {
        while (true)
        {
            long cursor = Volatile.Read(ref receiver.Cursor);
            long tail = Volatile.Read(ref Port.Tail);
            if (TReceiver.IsMulticast && cursor == MemberRecord.CutOff)
                throw new SlowReceiverException("The sender has cut off this receiver: it was behind by the port's depth. Open another.");
            if (cursor >= _next && cursor <= tail && tail - cursor <= ring.Depth)
                return (cursor, tail);
            if (IsAt(cursor))
                throw Ring.Damaged($"a receiver is at {cursor} and was at {_next}, and {tail} were sent");
        }
    }

    // Returns null if the sender has passed this receiver meanwhile.
    private Reference? ReadEntry(long number)
    {
        if (ring.TryRead(number, out Reference reference))
            return reference;
        return IsAt(number) ? throw Ring.Damaged($"number {number} is {reference.Word:X}") : null;
    }

    private bool TryTake(long number, Reference reference, out long lengthBytes)
    {
        // Hold first, then advance the cursor: until then the sender's reference keeps the object alive. A sender that passes this receiver
        // swaps the same word, so one of the two fails.
        refCounts.AddRef(reference.Head);
        CrashPoints.Pass(PortCrashPoint.EntryHeld);
        bool isObject = objects.TryResolve(reference, out lengthBytes);
        if (isObject && Interlocked.CompareExchange(ref receiver.Cursor, number + 1, number) == number)
            return true;
        refCounts.Release(reference.Head);
        if (!isObject && IsAt(number))
            throw Ring.Damaged($"number {number} is no object");
        return false; // the sender has passed this receiver
    }

    private bool TryTakeWrongly(long number, Reference reference, out long lengthBytes)
    {
        _ = objects.TryResolve(reference, out lengthBytes);
        if (Interlocked.CompareExchange(ref receiver.Cursor, number + 1, number) != number)
            return false;
        CrashPoints.Pass(PortCrashPoint.EntryHeld);
        refCounts.AddRef(reference.Head);
        return true;
    }

    private void Count(long taken)
    {
        Debug.Assert(taken >= _next, "A receiver gets no object twice.");
        Volatile.Write(ref _missed, _missed + (taken - _next));
        _next = taken + 1;
    }

    private bool IsAt(long number) => Volatile.Read(ref receiver.Cursor) == number;
}

/// <summary>The ring of a port, as seen by its receiver, or by one of many. Nothing that is read there is trusted.</summary>
internal abstract class ReceivingSide(PortRecord port)
{
    internal PortRecord Port => port;

    /// <summary>Whether taking would return or throw something.</summary>
    internal abstract bool HasMore { get; }

    /// <summary>Takes the next object, with one reference. The caller holds the receiver's lock.</summary>
    /// <returns><see langword="false"/> if there is none.</returns>
    internal abstract bool TryTakeLocked(out Reference reference, out long lengthBytes);

    /// <summary>Waits until there is an object, or the sender's end has changed; at most for a slice.</summary>
    /// <returns>Whether that has happened.</returns>
    internal abstract bool Wait(SpinThenWait waiter, PortEnd sender, TimeSpan timeout);

    /// <summary>Makes senders signal the waiter event of a process, too.</summary>
    internal abstract void AnnounceWaiting(int slot);
}

/// <summary>An object for a receiver, or a change of the sender's end.</summary>
internal readonly struct DataAwaited<TReceiver>(TReceiver receiver, PortEnd sender) : IAwaited where TReceiver : struct, IReceiverRecord
{
    public bool IsThere =>
        Volatile.Read(ref receiver.Port.Tail) != Volatile.Read(ref receiver.Cursor) || receiver.Port.SenderEnd != sender;
}

/// <summary>All receivers are past a number, or the end of the only one has changed.</summary>
internal readonly struct SpaceAwaited<TPort>(TPort record, long number, PortEnd receiver) : IAwaited
    where TPort : struct, IPortRecord<TPort>
{
    public bool IsThere => record.Slowest(long.MaxValue, number) != number || record.ReceiverEnd != receiver;
}

/// <summary>At least a number of receivers.</summary>
internal readonly struct ReceiversAwaited(MulticastRecord port, int atLeast) : IAwaited
{
    public bool IsThere => port.CountListeners() >= atLeast;
}
