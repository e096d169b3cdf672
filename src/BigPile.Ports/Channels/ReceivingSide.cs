using System;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as seen by its receiver, or by one of many. Nothing that is read there is trusted.</summary>
internal abstract class ReceivingSide(PortRecord port)
{
    internal PortRecord Port => port;

    /// <summary>Whether taking would return or throw something.</summary>
    internal abstract bool HasMore { get; }

    /// <summary>Takes the next object, with one reference. The caller holds the receiver's lock.</summary>
    /// <returns><see langword="false"/> if there is none.</returns>
    internal abstract bool TryTakeLocked(out Reference reference, out long lengthBytes);

    /// <summary>Waits until there is an object, or the sender's end has changed; at most for a slice.</summary>
    /// <returns>Whether that has happened.</returns>
    internal abstract bool Wait(SpinThenWait waiter, PortEnd sender, TimeSpan timeout);

    /// <summary>Makes senders signal the waiter event of a process, too.</summary>
    internal abstract void AnnounceWaiting(int slot);
}
