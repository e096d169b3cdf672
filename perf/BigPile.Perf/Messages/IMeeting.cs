using System;

namespace BigPile.Perf.Messages;

/// <summary>The rendezvous of the sender with one receiver.</summary>
internal interface IMeeting : IDisposable
{
    /// <summary>The address for the receiver.</summary>
    string Address { get; }

    /// <summary>Waits for the receiver, and returns the channel to it.</summary>
    IMessageChannel Meet();
}
