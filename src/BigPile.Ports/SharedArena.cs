using System;
using System.Collections.Generic;
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
public sealed class SharedArena : IDisposable
{
    // One that is forgotten stays open: else the process would be taken for dead, while objects of it are in use.
    private static readonly HashSet<SharedArena> Opened = [];

    private readonly Lock _making = new();
    private readonly HeldDirectory _directory;
    private readonly ObjectTable _objects;
    private readonly Holdings _holdings;
    private readonly RoomFinder _room;
    private readonly Membership _membership;
    private readonly PortTable _ports;
    private readonly MulticastTable _multicasts;
    private readonly TimeSpan _spin;
    private readonly PendingWork _work;
    private readonly OpenEnds _ends = new();
    private Attendant? _attendant;
    private bool _isDisposed;

    private SharedArena(string name, HeldDirectory directory, ArenaLocks locks, SharedArenaOptions options)
    {
        Name = name;
        _directory = directory;
        using ArenaLocks.Control control = locks.EnterControl();
        _objects = ArenaFiles.MapLocked(directory, name, options.ToShape(), options.Populate);
        _membership = Membership.JoinLocked(locks, _objects, options.Watch);
        _holdings = new Holdings(_objects, _membership.OwnSlot);
        _room = new RoomFinder(_objects, _holdings, _membership.OwnSlot, options.Watch);
        _ports = new PortTable(_objects, _holdings, _membership, options.Watch);
        _multicasts = new MulticastTable(_objects, _holdings, _membership, options.Watch);
        _spin = options.Spin;
        _work = new PendingWork(_membership.Bells.OfWaiter(_membership.OwnSlot), new Patience(_spin));
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
            (long objects, long lengthBytes, long granules) = _objects.CountObjects();
            long unit = _objects.Shape.GranuleBytes;
            return new SharedArenaStatistics(
                CapacityBytes, objects, lengthBytes, (granules * unit) - lengthBytes, CapacityBytes - (_objects.CountUsedGranules() * unit),
                _membership.CountPeers());
        }
    }

    /// <summary>Opens an arena, or makes it.</summary>
    /// <param name="name">Its name: 1 to 64 letters, digits, '-', '_' and '.', with no '.' in front.</param>
    /// <param name="options">Where, and how large a new one is; the defaults when <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">The name or an option has no meaning; it is named.</exception>
    /// <exception cref="InvalidDataException">What has the name is no arena, or one of another version.</exception>
    /// <exception cref="IOException">There is no room for it, 64 processes have it open, or the directory can't be used.</exception>
    /// <exception cref="PlatformNotSupportedException">The system is not Linux, or the process not one of 64 bits.</exception>
    public static SharedArena Open(string name, SharedArenaOptions? options = null)
    {
        ArenaFiles.CheckName(name);
        options ??= new SharedArenaOptions();
        _ = options.ToShape();
        HeldDirectory directory = HeldDirectory.Open(ArenaFiles.DirectoryOf(options.Directory));
        ArenaLocks? locks = null;
        try
        {
            locks = new ArenaLocks(directory, name);
            var arena = new SharedArena(name, directory, locks, options);
            lock (Opened)
                Opened.Add(arena);
            return arena;
        }
        catch
        {
            locks?.Dispose(); // and with it the slot's lock
            directory.Dispose();
            throw;
        }
    }

    /// <summary>Removes an arena that nobody has open. The file of its locks, which is empty, stays.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="directory">The directory; that of <see cref="SharedArenaOptions.Directory"/> when <see langword="null"/>.</param>
    /// <returns><see langword="false"/> when there is none.</returns>
    /// <exception cref="IOException">A process has it open, or the directory can't be used.</exception>
    public static bool TryRemove(string name, string? directory = null)
    {
        ArenaFiles.CheckName(name);
        using HeldDirectory held = HeldDirectory.Open(ArenaFiles.DirectoryOf(directory));
        using var locks = new ArenaLocks(held, name);
        using ArenaLocks.Control control = locks.EnterControl();
        for (int slot = 0; slot < ArenaShape.Processes; slot++)
        {
            if (locks.IsHeldByOther(slot))
                throw new IOException($"The arena '{name}' is open in some process, and can't be removed.");
        }
        return ArenaFiles.TryRemoveLocked(held, name);
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
        return TryTake(lengthBytes) ?? TryTakeWhatIsGivenBack(lengthBytes);
    }

    /// <summary>Opens the sending end of a port, which is made where there is none.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8.</param>
    /// <param name="whenFull">What a send does when the port is full.</param>
    /// <param name="depth">
    /// How many objects may be on the way, a power of two; as many as the arena allows when <see langword="null"/>. A port that is there
    /// has its own.
    /// </param>
    /// <exception cref="ArgumentException">The name or the depth has no meaning.</exception>
    /// <exception cref="PortBusyException">A living process has this end.</exception>
    /// <exception cref="IOException">All ports are in use.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public SendPort OpenSendPort(string name, FullPolicy whenFull = FullPolicy.Wait, int? depth = null)
    {
        lock (_making)
        {
            ThrowIfDisposed();
            SenderSide side = _ports.TryBindSender(name, CheckDepth(depth)) ?? throw Busy(name, "sender");
            return RememberLocked(
                new SendPort(name, side, _ports, _holdings, _membership, new Patience(_spin), _work, whenFull));
        }
    }

    /// <summary>Opens the receiving end of a port, which is made where there is none.</summary>
    /// <inheritdoc cref="OpenSendPort"/>
    public ReceivePort OpenReceivePort(string name, int? depth = null)
    {
        lock (_making)
        {
            ThrowIfDisposed();
            ReceiverSide side = _ports.TryBindReceiver(name, CheckDepth(depth)) ?? throw Busy(name, "receiver");
            return _ends.AddReceiverLocked(new ReceivePort(
                name, side, () => _ports.CloseReceiver(side), _objects, _holdings, _membership, new Patience(_spin), _work));
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
        lock (_making)
        {
            ThrowIfDisposed();
            MulticastSenderSide side = _multicasts.TryBindSender(name, CheckDepth(depth)) ?? throw Busy(name, "sender");
            return RememberLocked(
                new MulticastPort(name, side, _multicasts, _holdings, _membership, new Patience(_spin), _work, whenSlow));
        }
    }

    /// <summary>Opens one more receiver of a multicast port, which is made where there is none.</summary>
    /// <param name="name">Its name: 1 to 48 bytes in UTF-8.</param>
    /// <param name="start">With what the receiver begins.</param>
    /// <param name="depth">As for <see cref="OpenMulticastPort"/>.</param>
    /// <exception cref="ArgumentException">The name or the depth has no meaning.</exception>
    /// <exception cref="IOException">All ports are in use, or the port has 64 receivers.</exception>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public MulticastReceiver OpenMulticastReceiver(string name, MulticastStart start = MulticastStart.Next, int? depth = null)
    {
        lock (_making)
        {
            ThrowIfDisposed();
            MulticastReceiverSide side = _multicasts.AddReceiver(name, CheckDepth(depth), start == MulticastStart.Oldest);
            return _ends.AddReceiverLocked(new MulticastReceiver(
                name, side, () => _multicasts.CloseReceiver(side), _objects, _holdings, _membership, new Patience(_spin), _work));
        }
    }

    /// <summary>Makes a selector for receiving ports of this arena.</summary>
    /// <exception cref="ObjectDisposedException">The arena was closed.</exception>
    public PortSelector CreateSelector()
    {
        ThrowIfDisposed();
        return new PortSelector(_membership, new Patience(_spin), () => _holdings.IsClosed);
    }

    /// <summary>Closes the ports that this process has open, gives all back that it holds. Calling it again does nothing.</summary>
    public void Dispose()
    {
        lock (_making)
        {
            if (_isDisposed)
                return;
            _isDisposed = true;
        }
        _ends.Close();
        _work.End();
        _attendant?.End();
        _holdings.Close();
        using (_membership.Locks.EnterControl())
            _membership.LeaveLocked();
        _membership.Locks.Dispose();
        _directory.Dispose();
        lock (Opened)
            Opened.Remove(this);
    }

    private T RememberLocked<T>(T sender) where T : ISendingEnd
    {
        _attendant ??= new Attendant(_membership.Bells.OfReaper(_membership.OwnSlot), GiveBackReceived);
        return _ends.AddSenderLocked(sender);
    }

    private SharedObject? TryTakeWhatIsGivenBack(long lengthBytes)
    {
        GiveBackReceived();
        if (TryTake(lengthBytes) is { } made)
            return made;
        if (_membership.HaveReaped() && TryTake(lengthBytes) is { } madeOfOthers)
            return madeOfOthers;
        _membership.NoticeAll();
        return TryTake(lengthBytes);
    }

    private SharedObject? TryTake(long lengthBytes)
    {
        lock (_making)
        {
            ThrowIfDisposed();
            return _room.TryTakeLocked(lengthBytes, out Reference reference)
                ? new SharedObject(_objects, _holdings, reference, lengthBytes, isWritable: true)
                : null;
        }
    }

    // By whoever has no room, and by the attendant, when another process asks for it.
    private void GiveBackReceived()
    {
        lock (_making)
        {
            if (!_isDisposed)
                _ends.ReapLocked();
        }
    }

    private int CheckDepth(int? depth)
    {
        long most = _objects.Shape.Depth;
        return depth is null ? (int)most : depth >= 1 && depth <= most && BitOperations.IsPow2(depth.Value)
            ? depth.Value
            : throw new ArgumentException($"The depth of a port is a power of two from 1 to {most}, and not {depth}.", nameof(depth));
    }

    private static PortBusyException Busy(string name, string who) => new($"The port '{name}' has a {who} that lives.");

    private void ThrowIfDisposed() => ObjectDisposedException.ThrowIf(_isDisposed, this);
}
