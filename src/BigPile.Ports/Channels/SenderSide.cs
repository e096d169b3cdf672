using System.IO;
using System.Threading;
using BigPile.Ports.Checking;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as the process sees it that sends: it backs with a hold of its own what is on the way.</summary>
/// <remarks>
/// What it has put into the ring it remembers by itself, and of the shared words it believes none but how far the receiver is, within
/// bounds. Thread safety: the caller has <see cref="SendLock"/>.
/// </remarks>
internal sealed class SenderSide : ISendingSide
{
    private readonly RefCounts _refCounts;
    private readonly WakeEvents _wakeEvents;
    private readonly PortTestHooks _hooks;
    private readonly PortRecord _port;
    private readonly int _depth;
    private readonly int[] _backed;
    private long _tail;
    private long _reclaimed;
    private PortEnd? _retiredEnd;
    private volatile bool _isSuperseded;

    /// <summary>Takes over what is on the way already.</summary>
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

    /// <summary>Whether the port's end is another side's, which backs what is on the way, too.</summary>
    internal bool IsSuperseded => _isSuperseded || (_retiredEnd is { } retired && retired != _port.SenderEnd);

    /// <summary>Whether all that was sent has been received, and given back.</summary>
    internal bool IsDrainedLocked => _reclaimed == _tail;

    /// <summary>How far the receiver was when this was last looked at.</summary>
    internal long ReclaimedLocked => _reclaimed;

    /// <summary>Sends an object.</summary>
    /// <returns><see langword="false"/> when the port is full.</returns>
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

    /// <summary>Drops the object that has waited longest, unless it is received meanwhile. There is room then.</summary>
    internal void DropOldestLocked()
    {
        long oldest = _reclaimed;
        _ = Interlocked.CompareExchange(ref _port.Taken, oldest + 1, oldest);
        _hooks.Pass(PortCrashPoint.EntryDropped);
        ReclaimLocked();
    }

    /// <summary>Gives back what was received.</summary>
    /// <exception cref="InvalidDataException">The receiver can't be where it says it is.</exception>
    internal void ReclaimLocked()
    {
        long taken = Volatile.Read(ref _port.Taken);
        if (_retiredEnd != null && taken > _tail)
            taken = _tail; // of what a successor has sent
        if (taken == _reclaimed)
            return;
        if (taken < _reclaimed || taken > _tail)
            throw Ring.Damaged($"the receiver is at {taken}, and not between {_reclaimed} and {_tail}");
        while (_reclaimed < taken)
            _refCounts.Release(_backed[_reclaimed++ & (_depth - 1)]);
        if (!IsSuperseded)
            Volatile.Write(ref _port.Reclaimed, _reclaimed);
    }

    /// <summary>Gives back what was received, unless the port is damaged.</summary>
    internal bool TryReclaimLocked()
    {
        try
        {
            ReclaimLocked();
            return true;
        }
        catch (InvalidDataException)
        {
            return false; // what it backs goes when the arena is closed
        }
    }

    /// <summary>Nothing is sent any more from here. Another sender may be.</summary>
    internal void RetireLocked() => _retiredEnd = _port.SenderEnd;

    public void Supersede() => _isSuperseded = true;
}
