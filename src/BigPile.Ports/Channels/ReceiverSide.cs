using System;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as seen by the receiver. Nothing that is read there is trusted.</summary>
/// <remarks>Thread safety: the caller holds the port's lock.</remarks>
internal sealed class ReceiverSide(
    Ring ring, ObjectTable objects, RefCounts refCounts, WakeEvents wakeEvents, PortTestHooks hooks) : ReceivingSide(ring.Port)
{
    private readonly PortRecord _port = ring.Port;

    internal override bool HasMore => Volatile.Read(ref _port.Tail) != Volatile.Read(ref _port.Taken);

    internal override bool TryTakeLocked(out Reference reference, out long lengthBytes)
    {
        while (true)
        {
            (long taken, long tail) = ring.ReadCounters();
            reference = default;
            lengthBytes = 0;
            if (taken == tail)
                return false;
            if (ring.ReadNext(taken) is not { } next)
                continue;
            reference = next;
            hooks.Pass(PortCrashPoint.EntryRead);
            bool isTaken = hooks.Has(PortMutation.HoldsAfterTaking)
                ? TryTakeWrongly(taken, reference, out lengthBytes)
                : TryTake(taken, reference, out lengthBytes);
            if (isTaken)
            {
                hooks.Pass(PortCrashPoint.EntryTaken);
                wakeEvents.SignalSpace(_port);
                return true;
            }
        }
    }

    internal override bool Wait(SpinThenWait waiter, PortEnd sender, TimeSpan timeout) =>
        waiter.Wait(_port.Data, new DataAwaited(_port, sender), timeout);

    internal override void AnnounceWaiting(int slot) => Interlocked.Exchange(ref _port.ReceiverWatches, 1);

    private bool TryTake(long taken, Reference reference, out long lengthBytes)
    {
        // Hold first, then take it out of the ring: until then the sender's reference keeps the object alive. A sender that drops it
        // meanwhile swaps the same word, so one of the two fails.
        refCounts.AddRef(reference.Head);
        hooks.Pass(PortCrashPoint.EntryHeld);
        bool isObject = objects.TryResolve(reference, out lengthBytes);
        if (isObject && Interlocked.CompareExchange(ref _port.Taken, taken + 1, taken) == taken)
            return true;
        refCounts.Release(reference.Head);
        if (!isObject && Volatile.Read(ref _port.Taken) == taken)
            throw Ring.Damaged($"number {taken} is no object");
        return false; // the sender has dropped it
    }

    private bool TryTakeWrongly(long taken, Reference reference, out long lengthBytes)
    {
        _ = objects.TryResolve(reference, out lengthBytes);
        if (Interlocked.CompareExchange(ref _port.Taken, taken + 1, taken) != taken)
            return false;
        hooks.Pass(PortCrashPoint.EntryHeld);
        refCounts.AddRef(reference.Head);
        return true;
    }
}
