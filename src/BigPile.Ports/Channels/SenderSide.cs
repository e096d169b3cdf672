using System.IO;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as seen by the sender: a reference of its own holds each object in flight.</summary>
/// <remarks>
/// Remembers itself what it has put into the ring. Of the shared words it trusts only the receiver's counter, within bounds. Thread safety:
/// the caller holds <see cref="SendLock"/>.
/// </remarks>
internal sealed class SenderSide : ISendingSide
{
    private readonly RefCounts _refCounts;
    private readonly WakeEvents _wakeEvents;
    private readonly PortTestHooks _hooks;
    private readonly PortRecord _port;
    private readonly int _depth;
    // The first granule of each object in flight, by number modulo depth. Private, so a corrupt ring cannot change what is released.
    private readonly int[] _backed;
    // The number of the next object to send.
    private long _tail;
    // The number of the oldest object that is held; all before it are released.
    private long _reclaimed;
    // The port's sending end when this side was closed; null while it is open.
    private PortEnd? _retiredEnd;
    private volatile bool _isSuperseded;

    /// <summary>Takes over what is in flight.</summary>
    internal SenderSide(Ring ring, RefCounts refCounts, WakeEvents wakeEvents, PortTestHooks hooks)
    {
        _refCounts = refCounts;
        _wakeEvents = wakeEvents;
        _hooks = hooks;
        _port = ring.Port;
        _depth = ring.Depth;
        _backed = new int[_depth];
        (_reclaimed, _tail) = ring.ReadCounters();
        for (long number = _reclaimed; number < _tail; number++)
        {
            long head = ring.Read(number).Head;
            refCounts.AddRef(head);
            _backed[number & (_depth - 1)] = (int)head;
        }
        Volatile.Write(ref _port.Reclaimed, _reclaimed);
    }

    internal Lock SendLock { get; } = new();

    internal PortRecord Port => _port;

    /// <summary>Whether another side owns the port's end, and holds what is in flight, too.</summary>
    internal bool IsSuperseded => _isSuperseded || (_retiredEnd is { } retired && retired != _port.SenderEnd);

    /// <summary>Whether all that was sent has been received and released.</summary>
    internal bool IsDrainedLocked => _reclaimed == _tail;

    /// <summary>The receiver's counter when it was last read.</summary>
    internal long ReclaimedLocked => _reclaimed;

    /// <summary>Sends an object.</summary>
    /// <returns><see langword="false"/> if the port is full.</returns>
    internal bool TrySendLocked(Reference reference)
    {
        ReclaimLocked();
        if (_tail - _reclaimed == _depth)
            return false;
        _refCounts.AddRef(reference.Head);
        _backed[_tail & (_depth - 1)] = (int)reference.Head;
        _port.Entry(_tail, _depth).Write(reference);
        _hooks.Pass(PortCrashPoint.EntryWritten);
        Volatile.Write(ref _port.Tail, ++_tail);
        _hooks.Pass(PortCrashPoint.EntrySent);
        _wakeEvents.SignalData(_port);
        return true;
    }

    /// <summary>Drops the oldest object, unless it is received meanwhile. There is space then.</summary>
    internal void DropOldestLocked()
    {
        long oldest = _reclaimed;
        _ = Interlocked.CompareExchange(ref _port.Taken, oldest + 1, oldest);
        _hooks.Pass(PortCrashPoint.EntryDropped);
        ReclaimLocked();
    }

    /// <summary>Releases the objects that were received.</summary>
    /// <exception cref="InvalidDataException">The receiver's counter is out of range.</exception>
    internal void ReclaimLocked()
    {
        long taken = Volatile.Read(ref _port.Taken);
        if (_retiredEnd != null && taken > _tail)
            taken = _tail; // a successor has sent more
        if (taken == _reclaimed)
            return;
        if (taken < _reclaimed || taken > _tail)
            throw Ring.Damaged($"the receiver is at {taken}, and not between {_reclaimed} and {_tail}");
        while (_reclaimed < taken)
            _refCounts.Release(_backed[_reclaimed++ & (_depth - 1)]);
        if (!IsSuperseded)
            Volatile.Write(ref _port.Reclaimed, _reclaimed);
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
    internal void RetireLocked() => _retiredEnd = _port.SenderEnd;

    public void Supersede() => _isSuperseded = true;
}
