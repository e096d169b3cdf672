using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>An object to receive, or a change of the sender's end.</summary>
internal readonly struct DataAwaited(PortRecord port, PortEnd sender) : IAwaited
{
    public bool IsThere =>
        Volatile.Read(ref port.Tail) != Volatile.Read(ref port.Taken) || port.SenderEnd != sender;
}

/// <summary>An object for one receiver of a multicast port, or a change of the sender's end.</summary>
internal readonly struct NumberAwaited(PortRecord port, MemberRecord member, PortEnd sender) : IAwaited
{
    public bool IsThere =>
        Volatile.Read(ref port.Tail) != Volatile.Read(ref member.Cursor) || port.SenderEnd != sender;
}

/// <summary>All receivers are past a number.</summary>
internal readonly struct SlowestAwaited(MulticastRecord port, long number) : IAwaited
{
    public bool IsThere => port.Slowest(long.MaxValue, number) > number;
}

/// <summary>At least a number of receivers.</summary>
internal readonly struct ReceiversAwaited(MulticastRecord port, int atLeast) : IAwaited
{
    public bool IsThere => port.CountListeners() >= atLeast;
}

/// <summary>Space to send, or a change of the receiver's end.</summary>
internal readonly struct SpaceAwaited(PortRecord port, long taken, PortEnd receiver) : IAwaited
{
    public bool IsThere => Volatile.Read(ref port.Taken) != taken || port.ReceiverEnd != receiver;
}
