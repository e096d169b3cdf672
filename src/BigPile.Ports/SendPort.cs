using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Channels;
using BigPile.Ports.Layout;

namespace BigPile.Ports;

/// <summary>The sending end of a one-way port: objects arrive in order, and without a copy.</summary>
/// <remarks>
/// A port has one sender and one receiver at a time. The sender's process holds a sent object until it is received, and until that process
/// next sends there, or some process finds the arena full. Thread safety: all members may be called concurrently.
/// </remarks>
public sealed class SendPort : IDisposable
{
    private readonly SenderEnd<PortRecord> _end;

    internal SendPort(string name, SenderEnd<PortRecord> end)
    {
        Name = name;
        _end = end;
    }

    /// <summary>The port's name.</summary>
    public string Name { get; }

    /// <summary>Sends an object. The caller still holds it; no one may write it any more.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <exception cref="ArgumentException">The object is of another arena.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed, or the port closed, perhaps during the call.</exception>
    /// <exception cref="PortFullException">The port is full, and the policy is to fail.</exception>
    /// <exception cref="PeerLostException">The port is full, the policy is to wait, and the receiver is gone.</exception>
    /// <exception cref="InvalidDataException">Another process wrote over the port.</exception>
    public void Send(SharedObject sent) => _end.Send(sent);

    /// <summary>As <see cref="Send"/>, but never waits.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <returns><see langword="false"/> if the port is full, and the policy is not to drop.</returns>
    /// <inheritdoc cref="Send" path="/exception"/>
    public bool TrySend(SharedObject sent) => _end.TrySend(sent, TimeSpan.Zero);

    /// <summary>As <see cref="Send"/>, but waits at most for a timeout, whatever the policy.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns><see langword="false"/> if the port stayed full.</returns>
    /// <inheritdoc cref="Send" path="/exception"/>
    public bool TrySend(SharedObject sent, TimeSpan timeout) => _end.TrySend(sent, timeout);

    /// <summary>
    /// As <see cref="Send"/>, but waits without blocking a thread of the caller: one thread of the arena waits for all such calls.
    /// </summary>
    /// <param name="sent">An object of the same arena, which the caller holds until the call is over.</param>
    /// <param name="token">Ends the waiting: either the call is cancelled, or the object is sent.</param>
    /// <exception cref="OperationCanceledException">The token was cancelled first.</exception>
    /// <inheritdoc cref="Send" path="/exception"/>
    public Task SendAsync(SharedObject sent, CancellationToken token = default) => _end.SendAsync(sent, token);

    /// <summary>Closes this end: the receiver gets what was sent, and then the end of the stream. Calling it again does nothing.</summary>
    public void Dispose() => _end.Dispose();
}
