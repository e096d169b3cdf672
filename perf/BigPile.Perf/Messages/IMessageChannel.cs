using System;

namespace BigPile.Perf.Messages;

/// <summary>One end of a channel for messages of one size. They are copied on each side.</summary>
internal interface IMessageChannel : IDisposable
{
    /// <summary>Sends a message, whose bytes may be changed afterwards.</summary>
    /// <exception cref="LoadException">The other side is gone.</exception>
    void Send(ReadOnlySpan<byte> message);

    /// <summary>Waits for the next message.</summary>
    /// <exception cref="LoadException">The other side is gone.</exception>
    void Receive(Span<byte> message);
}
