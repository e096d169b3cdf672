using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Ports.Channels;
using BigPile.Ports.Layout;
using BigPile.Ports.Waiting;

namespace BigPile.Ports;

/// <summary>The sending end of a multicast port: one process sends to up to 64 receivers, each object once and without a copy.</summary>
/// <remarks>
/// Each receiver gets the objects that are sent after it was opened, in order. Without receivers sending succeeds, and nothing is kept. The
/// sender's process holds a sent object until all receivers have it, and until that process checks: every few messages, and when some
/// process finds the arena full. A receiver that died counts until its death is detected; a sender that waits for it does that. Thread
/// safety: all members may be called concurrently.
/// </remarks>
public sealed class MulticastPort : IDisposable
{
    private readonly SenderEnd<MulticastRecord> _end;

    internal MulticastPort(string name, SenderEnd<MulticastRecord> end)
    {
        Name = name;
        _end = end;
    }

    /// <summary>The port's name.</summary>
    public string Name { get; }

    /// <summary>The number of receivers that were not cut off.</summary>
    public int ReceiverCount => _end.Record.CountListeners();

    /// <summary>Sends an object to all receivers. The caller still holds it; no one may write it any more.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <exception cref="ArgumentException">The object is of another arena.</exception>
    /// <exception cref="ObjectDisposedException">The object was disposed, or the port closed, perhaps during the call.</exception>
    /// <exception cref="PortFullException">A receiver is behind by the whole depth, and the policy is to fail.</exception>
    /// <exception cref="InvalidDataException">Another process wrote over the port.</exception>
    public void Send(SharedObject sent) => _end.Send(sent);

    /// <summary>As <see cref="Send"/>, but never waits.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <returns><see langword="false"/> if a receiver is behind by the whole depth, and the policy is to wait or fail.</returns>
    /// <inheritdoc cref="Send" path="/exception"/>
    public bool TrySend(SharedObject sent) => _end.TrySend(sent, TimeSpan.Zero);

    /// <summary>As <see cref="Send"/>, but waits at most for a timeout, whatever the policy.</summary>
    /// <param name="sent">An object of the same arena.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns><see langword="false"/> if a receiver stayed behind by the whole depth.</returns>
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

    /// <summary>Waits for a number of receivers: earlier messages would reach fewer of them.</summary>
    /// <param name="receivers">The number of receivers, from 0 to 64.</param>
    /// <param name="timeout">How long to wait; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
    /// <returns><see langword="false"/> if there were fewer all the time.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of range.</exception>
    /// <exception cref="ObjectDisposedException">The port was closed, perhaps during the call.</exception>
    public bool WaitForReceivers(int receivers, TimeSpan timeout)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(receivers);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(receivers, MulticastRecord.MaxReceivers);
        var deadline = new Deadline(timeout);
        while (true)
        {
            _end.ThrowIfUnusable();
            if (ReceiverCount >= receivers)
                return true;
            if (deadline.Left is var left && left == TimeSpan.Zero)
                return false;
            _end.Wait(new ReceiversAwaited(_end.Record, receivers), left);
        }
    }

    /// <summary>Closes this end: receivers get what was sent, and then the end of the stream. Calling it again does nothing.</summary>
    public void Dispose() => _end.Dispose();
}
