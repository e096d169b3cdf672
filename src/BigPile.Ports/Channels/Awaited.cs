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

/// <summary>Something for one of many receivers, or a sender of which another thing is to be said than before.</summary>
internal readonly struct NumberAwaited(PortRecord port, MemberRecord member, PortEnd sender) : IAwaited
{
    public bool IsThere =>
        Volatile.Read(ref port.Tail) != Volatile.Read(ref member.Cursor) || port.SenderEnd != sender;
}

/// <summary>That no receiver is any more at a number or before it.</summary>
internal readonly struct SlowestAwaited(MulticastRecord port, long number) : IAwaited
{
    public bool IsThere => port.Slowest(long.MaxValue, number) > number;
}

/// <summary>So many receivers.</summary>
internal readonly struct ReceiversAwaited(MulticastRecord port, int atLeast) : IAwaited
{
    public bool IsThere => port.CountListeners() >= atLeast;
}

/// <summary>Room to send, or a receiver of which another thing is to be said than before.</summary>
internal readonly struct SpaceAwaited(PortRecord port, long taken, PortEnd receiver) : IAwaited
{
    public bool IsThere => Volatile.Read(ref port.Taken) != taken || port.ReceiverEnd != receiver;
}
