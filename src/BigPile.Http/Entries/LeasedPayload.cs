using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>
/// A payload that is read where it lies in the pile, as long as it is the entry's; of one that was replaced or removed meanwhile a slow
/// client gets the rest from a copy.
/// </summary>
/// <remarks>Thread safety: none; it belongs to one response.</remarks>
internal sealed class LeasedPayload : ReadingStream
{
    private readonly TimeProvider _time;
    private readonly TimeSpan _maxLease;
    private readonly Func<bool> _isCurrent;
    private readonly GrowingMemory _copy = new();
    private readonly CancellationTokenSource _ended = new();
    private PileLease? _lease;
    private long _checkedAt;
    private ReadOnlyMemory<byte> _rest;

    /// <summary>Takes over a lease.</summary>
    /// <param name="lease">The lease; it ends with the stream, or before.</param>
    /// <param name="payload">The part of the leased bytes to read.</param>
    /// <param name="quota">Where a copy is made.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxLease">How long the lease may last of what is not the entry's any more.</param>
    /// <param name="isCurrent">Looks whether the payload is still the entry's.</param>
    internal LeasedPayload(
        PileLease lease, ReadOnlyMemory<byte> payload, BufferQuota quota, TimeProvider time, TimeSpan maxLease, Func<bool> isCurrent)
    {
        _copy.ChargeTo(quota);
        _lease = lease;
        _rest = payload;
        _time = time;
        _maxLease = maxLease;
        _isCurrent = isCurrent;
        _checkedAt = time.GetTimestamp();
    }

    internal bool IsLeased => _lease != null;

    /// <summary>Whether it takes room that all requests share.</summary>
    internal bool HoldsQuota => _copy.LengthBytes != 0;

    /// <summary>
    /// Waits until a client has taken what was sent, or the lease is over: if that lasts, it is looked now and then whether the payload is
    /// still the entry's, and where not, the lease keeps memory that the pile could use, so that the rest is copied.
    /// </summary>
    /// <exception cref="BufferQuotaException">There is no room for the copy.</exception>
    internal async Task WaitAsync(Task sending)
    {
        while (IsLeased)
        {
            TimeSpan left = _maxLease - _time.GetElapsedTime(_checkedAt);
            if (left > TimeSpan.Zero && !sending.IsCompleted)
                await Task.WhenAny(sending, Task.Delay(left, _time, _ended.Token)).ConfigureAwait(false);
            if (_time.GetElapsedTime(_checkedAt) >= _maxLease)
            {
                _checkedAt = _time.GetTimestamp();
                if (!_isCurrent())
                    EndLease();
            }
            if (sending.IsCompleted)
                return;
        }
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
