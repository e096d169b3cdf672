using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Bounds;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>A payload that is read where it lies in the pile, for a limited time; after that from a copy of the rest.</summary>
/// <remarks>Thread safety: none; it belongs to one response.</remarks>
internal sealed class LeasedPayload : ReadingStream
{
    private readonly TimeProvider _time;
    private readonly TimeSpan _maxLease;
    private readonly long _started;
    private readonly GrowingMemory _copy = new();
    private readonly CancellationTokenSource _ended = new();
    private PileLease? _lease;
    private ReadOnlyMemory<byte> _rest;

    /// <summary>Takes over a lease.</summary>
    /// <param name="lease">The lease; it ends with the stream, or before.</param>
    /// <param name="payload">The part of the leased bytes to read.</param>
    /// <param name="room">Where a copy is made.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxLease">How long the lease may last.</param>
    internal LeasedPayload(PileLease lease, ReadOnlyMemory<byte> payload, BufferRoom room, TimeProvider time, TimeSpan maxLease)
    {
        _copy.TakeFrom(room);
        _lease = lease;
        _rest = payload;
        _time = time;
        _maxLease = maxLease;
        _started = time.GetTimestamp();
    }

    internal bool IsLeased => _lease != null;

    /// <summary>Waits for a client to take what was sent; if that lasts until the lease is over, the rest is copied meanwhile.</summary>
    /// <exception cref="BufferRoomException">There is no room for the copy.</exception>
    internal async Task WaitAsync(Task sending)
    {
        if (IsLeased && !sending.IsCompleted)
        {
            TimeSpan left = _maxLease - _time.GetElapsedTime(_started);
            if (left > TimeSpan.Zero)
                await Task.WhenAny(sending, Task.Delay(left, _time, _ended.Token)).ConfigureAwait(false);
        }
        if (IsLeased && _time.GetElapsedTime(_started) >= _maxLease)
            EndLease();
        await sending.ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        int lengthBytes = Math.Min(buffer.Length, _rest.Length);
        _rest.Span[..lengthBytes].CopyTo(buffer);
        _rest = _rest[lengthBytes..];
        return lengthBytes;
    }

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(Read(buffer.Span));

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _rest = default;
        _ended.Cancel(); // the timer that a fast client did not need
        _ended.Dispose();
        _lease?.Dispose();
        _lease = null;
        _copy.Free();
        base.Dispose(disposing);
    }

    private void EndLease()
    {
        if (!_rest.IsEmpty)
        {
            _copy.Grow(_rest.Length, 0);
            _rest.CopyTo(_copy.Memory);
            _rest = _copy.Memory[.._rest.Length];
        }
        _lease!.Dispose();
        _lease = null;
    }
}
