using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>Something to receive, or a sender of which another thing is to be said than before.</summary>
internal readonly struct DataAwaited(PortRecord port, PortEnd sender) : IAwaited
{
    public bool IsThere =>
        Volatile.Read(ref port.Tail) != Volatile.Read(ref port.Taken) || port.SenderEnd != sender;
}

/// <summary>Room to send, or a receiver of which another thing is to be said than before.</summary>
internal readonly struct RoomAwaited(PortRecord port, long taken, PortEnd receiver) : IAwaited
{
    public bool IsThere => Volatile.Read(ref port.Taken) != taken || port.ReceiverEnd != receiver;
}
