using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Ports.Channels;
using BigPile.Ports.Peers;

namespace BigPile.Ports;

/// <summary>The port ends that a process has open, and closed sending ends with objects in flight.</summary>
/// <remarks>Thread safety: the caller has the arena's lock.</remarks>
internal sealed class OpenEnds
{
    private readonly List<ISendingEnd> _senders = [];
    private readonly List<ReceivePort> _receivers = [];

    internal T AddSenderLocked<T>(T sender) where T : ISendingEnd
    {
        _senders.RemoveAll(static one => one.IsDisposed && one.Reclaim());
        _senders.Add(sender);
        return sender;
    }

    internal T AddReceiverLocked<T>(T receiver) where T : ReceivePort
    {
        _receivers.RemoveAll(static one => one.IsDisposed);
        _receivers.Add(receiver);
        return receiver;
    }

    /// <summary>Releases the objects that were received.</summary>
    internal void ReclaimLocked() => _senders.RemoveAll(static one => one.Reclaim());

    /// <summary>Checks what the sending ends hold, for tests.</summary>
    internal void CheckInvariantsLocked() => _senders.ForEach(static one => one.CheckInvariants());

    /// <summary>Closes all ends; none may be added any more. What another process delays is left to a cleaner.</summary>
    internal void Close(ArenaLocks locks)
    {
        foreach (IDisposable end in (IEnumerable<IDisposable>)[.. _senders, .. _receivers])
        {
            try
            {
                end.Dispose();
            }
            catch (IOException)
            {
                locks.GiveUp();
            }
        }
    }
}
