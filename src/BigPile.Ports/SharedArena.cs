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

/// <summary>Shared memory that processes of one user open by name, and in which they make and pass objects.</summary>
/// <remarks>
/// All of its memory is taken when it is made. It stays, with its name, when all have closed it, and until <see cref="TryRemove"/>; what a
/// process held is given back when it closes the arena, and by the others when it dies. One that is forgotten stays open until then. At
/// most 64 processes have an arena open at one time; one that opens it twice counts twice. Thread safety: all members may be called
/// concurrently.
/// </remarks>
public sealed partial class SharedArena : IDisposable
{
    private readonly Lock _lock = new();
    private readonly HeldDirectory _directory;
    private readonly ObjectTable _objects;
    private readonly RefCounts _refCounts;
    private readonly ObjectAllocator _allocator;
    private readonly PeerTable _peers;
    private readonly PortTable _ports;
    private readonly MulticastTable _multicasts;
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
            _peers = PeerTable.JoinLocked(locks, _objects, identity, options.TestHooks);
        }
        if (options.Populate)
            _objects.Mapping.Populate();
        _refCounts = new RefCounts(_objects, _peers.OwnSlot);
        _allocator = new ObjectAllocator(_objects, _refCounts, _peers.OwnSlot, options.TestHooks);
        _ports = new PortTable(_objects, _refCounts, _peers, options.TestHooks);
        _multicasts = new MulticastTable(_objects, _refCounts, _peers, options.TestHooks);
        _spin = options.Spin;
        _work = new PendingWork(_peers.WakeEvents.OfWaiter(_peers.OwnSlot), new SpinThenWait(_spin));
    }

    /// <summary>The name by which it was opened.</summary>
    public string Name { get; }

    /// <summary>The bytes for objects.</summary>
    public long CapacityBytes => _objects.Shape.Granules * _objects.Shape.GranuleBytes;

    /// <summary>What is in it. It takes some nanoseconds for each granule.</summary>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SharedArenaStatistics Statistics
    {
        get
        {
            ThrowIfDisposed();
            ReclaimReceived(); // what was received and let go is held by its sender until somebody needs room
            _peers.RequestReclaim();
            (long objects, long lengthBytes, long granules) = _objects.CountObjects();
            long unit = _objects.Shape.GranuleBytes;
            return new SharedArenaStatistics(
                CapacityBytes, objects, lengthBytes, (granules * unit) - lengthBytes, CapacityBytes - (_objects.CountUsedGranules() * unit),
                _peers.CountPeers());
        }
    }

    /// <summary>Makes an object, which this process may write until it sends it. Its bytes are those of what was there before.</summary>
    /// <param name="lengthBytes">How many bytes it has, from 0 to <see cref="CapacityBytes"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are less than none, or more than the arena has.</exception>
    /// <exception cref="ArenaFullException">There is no such room in a row.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SharedObject Allocate(long lengthBytes) => TryAllocate(lengthBytes) ?? throw new ArenaFullException(
        $"The arena '{Name}' of {CapacityBytes:N0} bytes has no {lengthBytes:N0} in a row: receivers keep objects, or it is too small.");

    /// <summary>As <see cref="Allocate"/>; <see langword="null"/> when there is no room.</summary>
    /// <param name="lengthBytes">How many bytes it has, from 0 to <see cref="CapacityBytes"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are less than none, or more than the arena has.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SharedObject? TryAllocate(long lengthBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(lengthBytes);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(lengthBytes, CapacityBytes);
        _peers.Identity.ThrowIfRemoved();
        return TryTake(lengthBytes) ?? TryTakeReclaimed(lengthBytes);
    }

    /// <summary>Opens the sending end of a port, which is made where there is none.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8.</param>
    /// <param name="whenFull">What a send does when the port is full.</param>
    /// <param name="depth">
    /// How many objects may be on the way, a power of two; as many as the arena allows when <see langword="null"/>. A port that is there
    /// has its own.
    /// </param>
    /// <exception cref="ArgumentException">The name, the depth or another argument has no meaning.</exception>
    /// <exception cref="PortBusyException">A living process has this end.</exception>
    /// <exception cref="ArenaRemovedException">The arena was removed or replaced while it was open.</exception>
    /// <exception cref="IOException">All ports are in use.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SendPort OpenSendPort(string name, FullPolicy whenFull = FullPolicy.Wait, int? depth = null)
    {
        CheckDefined(whenFull);
        lock (_lock)
        {
            ThrowIfUnusable();
            SenderSide side = _ports.TryBindSender(name, CheckDepth(depth)) ?? throw Busy(name, "sender");
            return RegisterLocked(
                new SendPort(name, side, _ports, _refCounts, _peers, new SpinThenWait(_spin), _work, whenFull));
        }
    }

    /// <summary>Opens the receiving end of a port, which is made where there is none.</summary>
    /// <inheritdoc cref="OpenSendPort"/>
    public ReceivePort OpenReceivePort(string name, int? depth = null)
    {
        lock (_lock)
        {
            ThrowIfUnusable();
            ReceiverSide side = _ports.TryBindReceiver(name, CheckDepth(depth)) ?? throw Busy(name, "receiver");
            return _ends.AddReceiverLocked(new ReceivePort(
                name, side, () => _ports.CloseReceiver(side), _objects, _refCounts, _peers, new SpinThenWait(_spin), _work));
        }
    }

    /// <summary>Opens the sending end of a multicast port, which is made where there is none.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8. Other ports may have the same.</param>
    /// <param name="whenSlow">What a send does when a receiver is behind by the whole depth.</param>
    /// <param name="depth">
    /// How many objects a receiver may be behind, a power of two; as many as the arena allows when <see langword="null"/>. A port that is
    /// there has its own.
    /// </param>
    /// <inheritdoc cref="OpenSendPort" path="/exception"/>
    public MulticastPort OpenMulticastPort(
        string name, SlowReceiverPolicy whenSlow = SlowReceiverPolicy.DropOldest, int? depth = null)
    {
        CheckDefined(whenSlow);
        lock (_lock)
        {
            ThrowIfUnusable();
            MulticastSenderSide side = _multicasts.TryBindSender(name, CheckDepth(depth)) ?? throw Busy(name, "sender");
            return RegisterLocked(
                new MulticastPort(name, side, _multicasts, _refCounts, _peers, new SpinThenWait(_spin), _work, whenSlow));
        }
    }

    /// <summary>Opens one more receiver of a multicast port, which is made where there is none.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8.</param>
    /// <param name="start">With what the receiver begins.</param>
    /// <param name="depth">As for <see cref="OpenMulticastPort"/>.</param>
    /// <exception cref="ArgumentException">The name, the depth or another argument has no meaning.</exception>
    /// <exception cref="IOException">All ports are in use, or the port has 64 receivers.</exception>
    /// <exception cref="ArenaRemovedException">The arena was removed or replaced while it was open.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public MulticastReceiver OpenMulticastReceiver(string name, MulticastStart start = MulticastStart.Next, int? depth = null)
    {
        CheckDefined(start);
        lock (_lock)
        {
            ThrowIfUnusable();
            MulticastReceiverSide side = _multicasts.AddReceiver(name, CheckDepth(depth), start == MulticastStart.Oldest);
            return _ends.AddReceiverLocked(new MulticastReceiver(
                name, side, () => _multicasts.CloseReceiver(side), _objects, _refCounts, _peers, new SpinThenWait(_spin), _work));
        }
    }

    /// <summary>Makes a selector for receiving ports of this arena.</summary>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public PortSelector CreateSelector()
    {
        ThrowIfDisposed();
        return new PortSelector(_peers, new SpinThenWait(_spin), () => _refCounts.IsClosed);
    }

    /// <summary>Closes the ports that this process has open, gives all back that it holds. Calling it again does nothing.</summary>
    /// <remarks>
    /// No other thread may be using the bytes of an object: their memory goes with the last reference to the arena or its objects. Where
    /// another process that opens, closes or cleans is stopped for long, others do what is left, as if this one had died.
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

    private T RegisterLocked<T>(T sender) where T : ISendingEnd
    {
        _reclaimThread ??= new ReclaimThread(_peers.WakeEvents.OfReclaimer(_peers.OwnSlot), ReclaimReceived);
        return _ends.AddSenderLocked(sender);
    }

    private SharedObject? TryTakeReclaimed(long lengthBytes)
    {
        ReclaimReceived();
        if (TryTake(lengthBytes) is { } made)
            return made;
        if (_peers.RequestReclaim() && TryTake(lengthBytes) is { } madeOfOthers)
            return madeOfOthers;
        _peers.DetectAllDeaths();
        ReclaimReceived(); // what the dead were to receive
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

    // By whoever has no room, and by the attendant, when another process asks for it.
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

    private static PortBusyException Busy(string name, string end) => new($"The port '{name}' has a {end} that lives.");

    private void ThrowIfUnusable()
    {
        ThrowIfDisposed();
        _peers.Identity.ThrowIfRemoved();
    }

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);
}
