using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Ports.Channels;
using BigPile.Ports.Peers;

namespace BigPile.Ports;

/// <summary>The ends of ports that a process has opened; also closed ones by which it sent, of which something is on the way.</summary>
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

    /// <summary>Gives back what was received.</summary>
    internal void ReclaimLocked() => _senders.RemoveAll(static one => one.Reclaim());

    /// <summary>Closes all. Nobody adds any more. What another process holds up is left to who cleans.</summary>
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
