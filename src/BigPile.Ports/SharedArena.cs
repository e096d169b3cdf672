using System;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Memory;
using BigPile.Ports.Channels;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;
using BigPile.Ports.Peers;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>Shared memory that processes of one user open by name, in which they allocate objects and pass them to each other.</summary>
/// <remarks>
/// All of its memory is allocated when it is created. It keeps its name and content when no process has it open any more, until
/// <see cref="TryRemove"/>. What a process holds is released when it closes the arena, and by the other processes when it dies. An arena
/// that is never disposed stays open until then. At most 64 processes have an arena open at a time; a process that opens it twice counts
/// twice. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed partial class SharedArena : IDisposable
{
    private readonly Lock _lock = new();
    private readonly HeldDirectory _directory;
    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private readonly ObjectAllocator _allocator;
    private readonly PeerTable _peers;
    private readonly PortTable<PortRecord> _ports;
    private readonly PortTable<MulticastRecord> _multicasts;
    private readonly PortReceivers _receivers;
    private readonly MulticastReceivers _multicastReceivers;
    private readonly TimeSpan _spin;
    private readonly PendingWork _work;
    private readonly OpenEnds _ends = new();
    private ReclaimThread? _reclaimThread;
    private bool _isDisposed;

    private SharedArena(string name, HeldDirectory directory, ArenaLocks locks, SharedArenaOptions options)
    {
        Name = name;
        _directory = directory;
        using (locks.EnterMaking(() => ArenaFiles.AllocatedBytesOf(directory, name)))
        {
            _objects = ArenaFiles.MapLocked(directory, name, options.ToShape(), locks, out ArenaIdentity identity);
            using ArenaLocks.Control control = locks.EnterControl();
            _peers = PeerTable.JoinLocked(locks, _objects, identity);
        }
        if (options.Populate)
            _objects.Mapping.Populate();
        _refCounts = new RefCounts(_objects, _peers.OwnSlot);
        _allocator = new ObjectAllocator(_objects, _refCounts, _peers.OwnSlot);
        _ports = new PortTable<PortRecord>(_objects, _refCounts, _peers);
        _multicasts = new PortTable<MulticastRecord>(_objects, _refCounts, _peers);
        _receivers = new PortReceivers(_ports, _objects, _refCounts, _peers);
        _multicastReceivers = new MulticastReceivers(_multicasts, _objects, _refCounts, _peers);
        _spin = options.Spin;
        _work = new PendingWork(_peers.WakeEvents.OfWaiter(_peers.OwnSlot), new SpinThenWait(_spin));
    }

    /// <summary>The name of the arena.</summary>
    public string Name { get; }

    /// <summary>The capacity for objects, in bytes.</summary>
    public long CapacityBytes => _objects.Shape.Granules * _objects.Shape.GranuleBytes;

    /// <summary>Counts the objects. Takes some nanoseconds for each granule.</summary>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SharedArenaStatistics Statistics
    {
        get
        {
            ThrowIfDisposed();
            ReclaimReceived(); // senders hold what was received and disposed, until somebody needs the space
            _peers.RequestReclaim();
            (long objects, long lengthBytes, long granules) = _objects.CountObjects();
            long unit = _objects.Shape.GranuleBytes;
            return new SharedArenaStatistics(
                CapacityBytes, objects, lengthBytes, (granules * unit) - lengthBytes, CapacityBytes - (_objects.CountUsedGranules() * unit),
                _peers.CountPeers());
        }
    }

    /// <summary>Allocates an object, which this process may write until it sends it. Its bytes are not cleared.</summary>
    /// <param name="lengthBytes">The length in bytes, from 0 to <see cref="CapacityBytes"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative, or more than the arena has.</exception>
    /// <exception cref="ArenaFullException">There is no contiguous space of that length.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SharedObject Allocate(long lengthBytes) => TryAllocate(lengthBytes) ?? throw new ArenaFullException(
        $"The arena '{Name}' of {CapacityBytes:N0} bytes has no {lengthBytes:N0} contiguous free bytes. "
        + "Dispose objects, or create a larger arena.");

    /// <summary>As <see cref="Allocate"/>, but returns <see langword="null"/> if there is no space.</summary>
    /// <param name="lengthBytes">The length in bytes, from 0 to <see cref="CapacityBytes"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative, or more than the arena has.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SharedObject? TryAllocate(long lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(lengthBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lengthBytes, CapacityBytes);
        _peers.Identity.ThrowIfRemoved();
        return TryTake(lengthBytes) ?? TryTakeReclaimed(lengthBytes);
    }

    /// <summary>Opens the sending end of a port, which is created if it does not exist.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8.</param>
    /// <param name="whenFull">What a send does if the port is full.</param>
    /// <param name="depth">
    /// The greatest number of objects in flight, a power of two; the arena's greatest depth if <see langword="null"/>. An existing port
    /// keeps its own.
    /// </param>
    /// <exception cref="ArgumentException">The name, the depth or another argument is invalid.</exception>
    /// <exception cref="PortBusyException">A living process, perhaps this one, has this end.</exception>
    /// <exception cref="ArenaRemovedException">The arena was removed or replaced while it was open.</exception>
    /// <exception cref="IOException">All ports are in use.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SendPort OpenSendPort(string name, FullPolicy whenFull = FullPolicy.Wait, int? depth = null)
    {
        CheckDefined(whenFull);
        return new SendPort(name, OpenSender(_ports, name, CheckDepth(depth), _ => new SenderOptions(
            typeof(SendPort), name, $"The port '{name}' is full. Receive more, create it with more depth, or use another FullPolicy.",
            Fails: whenFull == FullPolicy.Fail, PassesSlow: whenFull == FullPolicy.DropOldest)));
    }

    /// <summary>Opens the receiving end of a port, which is created if it does not exist.</summary>
    /// <inheritdoc cref="OpenSendPort"/>
    public ReceivePort OpenReceivePort(string name, int? depth = null)
    {
        lock (_lock)
        {
            ThrowIfUnusable();
            ReceiverSide<PortRecord> side = _receivers.TryBind(name, CheckDepth(depth)) ?? throw Busy(name, "receiver");
            return _ends.AddReceiverLocked(new ReceivePort(
                name, side, () => _receivers.Close(side), _objects, _refCounts, _peers, new SpinThenWait(_spin), _work));
        }
    }

    /// <summary>Opens the sending end of a multicast port, which is created if it does not exist.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8. A one-to-one port may have the same name.</param>
    /// <param name="whenSlow">What a send does if a receiver is behind by the whole depth.</param>
    /// <param name="depth">
    /// The number of objects that a receiver may be behind, a power of two; the arena's greatest depth if <see langword="null"/>. An
    /// existing port keeps its own.
    /// </param>
    /// <inheritdoc cref="OpenSendPort" path="/exception"/>
    public MulticastPort OpenMulticastPort(
        string name, SlowReceiverPolicy whenSlow = SlowReceiverPolicy.DropOldest, int? depth = null)
    {
        CheckDefined(whenSlow);
        return new MulticastPort(name, OpenSender(_multicasts, name, CheckDepth(depth), ofPort => new SenderOptions(
            typeof(MulticastPort), name, $"A receiver of the port '{name}' is behind by the port's depth, {ofPort:N0}.",
            Fails: whenSlow == SlowReceiverPolicy.Fail,
            PassesSlow: whenSlow is SlowReceiverPolicy.DropOldest or SlowReceiverPolicy.Disconnect,
            CutsOff: whenSlow == SlowReceiverPolicy.Disconnect)));
    }

    /// <summary>Opens a new receiver of a multicast port, which is created if it does not exist.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8.</param>
    /// <param name="start">Where the receiver begins.</param>
    /// <param name="depth">As for <see cref="OpenMulticastPort"/>.</param>
    /// <exception cref="ArgumentException">The name, the depth or another argument is invalid.</exception>
    /// <exception cref="IOException">All ports are in use, or the port has 64 receivers.</exception>
    /// <exception cref="ArenaRemovedException">The arena was removed or replaced while it was open.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public MulticastReceiver OpenMulticastReceiver(string name, MulticastStart start = MulticastStart.Next, int? depth = null)
    {
        CheckDefined(start);
        lock (_lock)
        {
            ThrowIfUnusable();
            ReceiverSide<MulticastMember> side = _multicastReceivers.Add(name, CheckDepth(depth), start == MulticastStart.Oldest);
            return _ends.AddReceiverLocked(new MulticastReceiver(
                name, side, () => _multicastReceivers.Close(side), _objects, _refCounts, _peers, new SpinThenWait(_spin), _work));
        }
    }

    /// <summary>Creates a selector for receiving ports of this arena.</summary>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public PortSelector CreateSelector()
    {
        ThrowIfDisposed();
        return new PortSelector(_peers, new SpinThenWait(_spin), () => _refCounts.IsClosed);
    }

    /// <summary>Closes all ports of this arena object, and releases all objects that it holds. Calling it again does nothing.</summary>
    /// <remarks>
    /// No thread may be using the bytes of an object: their memory is unmapped with the last reference to the arena or its objects. If
    /// another process that opens, closes or cleans up is stopped for long, others finish the work, as if this process had died.
    /// </remarks>
    public void Dispose()
    {
        lock (_lock)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
        }
        _ends.Close(_peers.Locks);
        _work.End();
        _reclaimThread?.End();
        _refCounts.Close();
        _peers.Leave();
        _peers.Locks.Dispose();
        _directory.Dispose();
        lock (Opened)
            Opened.Remove(this);
    }

    private SenderEnd<TPort> OpenSender<TPort>(PortTable<TPort> ports, string name, int depth, Func<int, SenderOptions> optionsOfDepth)
        where TPort : struct, IPortRecord<TPort>
    {
        lock (_lock)
        {
            ThrowIfUnusable();
            SenderSide<TPort> side = ports.TryBindSender(name, depth) ?? throw Busy(name, "sender");
            _reclaimThread ??= new ReclaimThread(_peers.WakeEvents.OfReclaimer(_peers.OwnSlot), ReclaimReceived);
            return _ends.AddSenderLocked(new SenderEnd<TPort>(
                side, ports, _refCounts, _peers, new SpinThenWait(_spin), _work, optionsOfDepth(side.Depth)));
        }
    }

    private SharedObject? TryTakeReclaimed(long lengthBytes)
    {
        ReclaimReceived();
        if (TryTake(lengthBytes) is { } made)
            return made;
        if (_peers.RequestReclaim() && TryTake(lengthBytes) is { } madeOfOthers)
            return madeOfOthers;
        _peers.DetectAllDeaths();
        ReclaimReceived(); // what dead receivers have let go
        _peers.RequestReclaim();
        return TryTake(lengthBytes);
    }

    private SharedObject? TryTake(long lengthBytes)
    {
        lock (_lock)
        {
            ThrowIfDisposed();
            return _allocator.TryAllocateLocked(lengthBytes, out Reference reference)
                ? new SharedObject(_objects, _refCounts, reference, lengthBytes, isWritable: true)
                : null;
        }
    }

    // Called by a thread that found no space, and by the reclaim thread when another process asks for it.
    private void ReclaimReceived()
    {
        lock (_lock)
        {
            if (!_isDisposed)
                _ends.ReclaimLocked();
        }
    }

    private int CheckDepth(int? depth)
    {
        long most = _objects.Shape.Depth;
        return depth is null ? (int)most : depth >= 1 && depth <= most && BitOperations.IsPow2(depth.Value)
            ? depth.Value
            : throw new ArgumentException($"The depth of a port is a power of two from 1 to {most}, and not {depth}.", nameof(depth));
    }

    private static void CheckDefined<TEnum>(TEnum value) where TEnum : struct, Enum
    {
        if (!Enum.IsDefined(value))
            throw new ArgumentException($"{typeof(TEnum).Name} has no {value}: give one of {string.Join(", ", Enum.GetNames<TEnum>())}.");
    }

    private static PortBusyException Busy(string name, string end) => new(
        $"The port '{name}' already has a living {end}. Close that one first.");

    private void ThrowIfUnusable()
    {
        ThrowIfDisposed();
        _peers.Identity.ThrowIfRemoved();
    }

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);
}
