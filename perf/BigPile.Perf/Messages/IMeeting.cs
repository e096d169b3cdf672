using System;

namespace BigPile.Perf.Messages;

/// <summary>Where the sender waits for one receiver.</summary>
internal interface IMeeting : IDisposable
{
    /// <summary>Where the receiver finds it.</summary>
    string Address { get; }

    /// <summary>The channel to the receiver, which has said that it is there.</summary>
    IMessageChannel Meet();
}
