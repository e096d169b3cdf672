using System;

namespace BigPile.Ports.Channels;

/// <summary>An end by which a process sends, as its arena knows it: also one that is closed, while something of it is on the way.</summary>
internal interface ISendingEnd : IDisposable
{
    bool IsDisposed { get; }

    /// <summary>Gives back what was received.</summary>
    /// <returns>Whether nothing will ever be to be given back any more.</returns>
    bool Reclaim();
}
