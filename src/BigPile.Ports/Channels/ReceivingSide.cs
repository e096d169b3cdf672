using System;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports.Channels;

/// <summary>The ring of a port, as a process sees it that receives, alone or among many. Nothing that is read there is believed.</summary>
internal abstract class ReceivingSide(PortRecord port)
{
    internal PortRecord Port => port;

    /// <summary>Whether taking would give or throw something.</summary>
    internal abstract bool HasMore { get; }

    /// <summary>Takes the next object, held once. The caller has the receiver's lock.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal abstract bool TryTakeLocked(out Reference reference, out long lengthBytes);

    /// <summary>Waits until there is something, or another thing is to be said of the sender than before, for a slice at most.</summary>
    /// <returns>Whether it has come.</returns>
    internal abstract bool Wait(SpinThenWait waiter, PortEnd sender, TimeSpan timeout);

    /// <summary>Has senders ring the bell of a process, too.</summary>
    internal abstract void AnnounceWaiting(int slot);
}
