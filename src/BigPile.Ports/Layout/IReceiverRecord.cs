using BigPile.Ports.Waiting;

namespace BigPile.Ports.Layout;

/// <summary>The only receiver of a port, or one of many. Structures implement it, as <see cref="IPortRecord{TSelf}"/>.</summary>
internal interface IReceiverRecord
{
    /// <inheritdoc cref="IPortRecord{TSelf}.IsMulticast"/>
    static abstract bool IsMulticast { get; }

    /// <inheritdoc cref="IPortRecord{TSelf}.Port"/>
    PortRecord Port { get; }

    /// <summary>The number of the next object to receive; of one of many also <see cref="MemberRecord.CutOff"/>.</summary>
    ref long Cursor { get; }

    /// <summary>Wakes the receiver: there is something.</summary>
    WakeEvent Data { get; }

    /// <summary>Makes the sender signal the waiter event of a process, too.</summary>
    void AnnounceWaiting(int slot);
}
