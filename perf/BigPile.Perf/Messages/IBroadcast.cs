using System;

namespace BigPile.Perf.Messages;

/// <summary>Sends each message to all receivers, in steps that can be measured apart.</summary>
internal interface IBroadcast : IDisposable
{
    /// <summary>Makes room for some messages.</summary>
    void Make(int count);

    /// <summary>Writes one of them: what anybody has to do once who has something to say.</summary>
    void Write(int index, ReadOnlySpan<byte> message);

    /// <summary>Sends one of them, and gives its room back.</summary>
    void Send(int index);
}
