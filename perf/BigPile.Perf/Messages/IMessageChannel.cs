using System;

namespace BigPile.Perf.Messages;

/// <summary>One side's end of a way: messages of one size go out and come in, and are copied on each side.</summary>
internal interface IMessageChannel : IDisposable
{
    /// <summary>Sends a message, whose bytes may be changed afterwards.</summary>
    /// <exception cref="LoadException">The other side is gone.</exception>
    void Send(ReadOnlySpan<byte> message);

    /// <summary>Waits for the next message.</summary>
    /// <exception cref="LoadException">The other side is gone.</exception>
    void Receive(Span<byte> message);
}
