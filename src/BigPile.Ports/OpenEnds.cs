using System.Collections.Generic;
using BigPile.Ports.Channels;

namespace BigPile.Ports;

/// <summary>The ends of ports that a process has opened; also closed ones by which it sent, of which something is on the way.</summary>
/// <remarks>Thread safety: the caller has the arena's lock.</remarks>
internal sealed class OpenEnds
{
    private readonly List<ISendingEnd> _senders = [];
    private readonly List<ReceivePort> _receivers = [];

    internal T AddSenderLocked<T>(T sender) where T : ISendingEnd
    {
        _senders.RemoveAll(static one => one.IsDisposed && one.Reap());
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
    internal void ReapLocked() => _senders.RemoveAll(static one => one.Reap());

    /// <summary>Closes all. Nobody adds any more.</summary>
    internal void Close()
    {
        _senders.ForEach(static one => one.Dispose());
        _receivers.ForEach(static one => one.Dispose());
    }
}
