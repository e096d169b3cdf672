using System;

namespace BigPile.Perf.Messages;

/// <summary>Sends each message to all receivers, in steps that are measured separately.</summary>
internal interface IBroadcast : IDisposable
{
    /// <summary>Allocates space for some messages.</summary>
    void Make(int count);

    /// <summary>Writes the payload of one of them, which every way needs once.</summary>
    void Write(int index, ReadOnlySpan<byte> message);

    /// <summary>Sends one of them, and releases its space.</summary>
    void Send(int index);
}
