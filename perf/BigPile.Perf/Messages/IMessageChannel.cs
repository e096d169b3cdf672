using System;

namespace BigPile.Perf.Messages;

/// <summary>One end of a channel for messages of one size. They are copied on each side.</summary>
internal interface IMessageChannel : IDisposable
{
    /// <summary>Sends a message, whose bytes may be changed afterwards.</summary>
    void Send(ReadOnlySpan<byte> message);

    /// <summary>Waits for the next message.</summary>
    void Receive(Span<byte> message);
}

/// <summary>The rendezvous of the sender with one receiver.</summary>
internal interface IMeeting : IDisposable
{
    /// <summary>The address for the receiver.</summary>
    string Address { get; }

    /// <summary>Waits for the receiver, and returns the channel to it.</summary>
    IMessageChannel Meet();
}

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
