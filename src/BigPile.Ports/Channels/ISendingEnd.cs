using System;

namespace BigPile.Ports.Channels;

/// <summary>A sending end, as its arena knows it: also a closed one, while objects of it are in flight.</summary>
internal interface ISendingEnd : IDisposable
{
    /// <summary>Whether it was closed.</summary>
    bool IsDisposed { get; }

    /// <summary>Releases the objects that were received.</summary>
    /// <returns>Whether the end is done: closed, with nothing in flight.</returns>
    bool Reclaim();

    /// <summary>Checks what is in flight, for tests.</summary>
    void CheckInvariants();
}
