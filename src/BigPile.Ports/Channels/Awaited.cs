using System.Threading;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>An object for a receiver, or a change of the sender's end.</summary>
internal readonly struct DataAwaited<TReceiver>(TReceiver receiver, PortEnd sender) : IAwaited where TReceiver : struct, IReceiverRecord
{
    public bool IsThere =>
        Volatile.Read(ref receiver.Port.Tail) != Volatile.Read(ref receiver.Cursor) || receiver.Port.SenderEnd != sender;
}

/// <summary>All receivers are past a number, or the end of the only one has changed.</summary>
internal readonly struct SpaceAwaited<TPort>(TPort record, long number, PortEnd receiver) : IAwaited
    where TPort : struct, IPortRecord<TPort>
{
    public bool IsThere => record.Slowest(long.MaxValue, number) != number || record.ReceiverEnd != receiver;
}

/// <summary>At least a number of receivers.</summary>
internal readonly struct ReceiversAwaited(MulticastRecord port, int atLeast) : IAwaited
{
    public bool IsThere => port.CountListeners() >= atLeast;
}
