using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Limits;
using BigPile.Http.Protocol;

namespace BigPile.Http.Entries;

/// <summary>
/// A payload that is sent straight from the pile while it is the entry's current one. If it is replaced or removed meanwhile, a slow client
/// gets the rest from a copy.
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
    /// <summary>Timestamp of the last check, at first of the start.</summary>
    private long _checkedAt;
    /// <summary>The bytes that are not read yet, in the lease or in the copy.</summary>
    private ReadOnlyMemory<byte> _rest;

    /// <summary>Takes ownership of a lease.</summary>
    /// <param name="lease">The lease; it ends with the stream, or earlier.</param>
    /// <param name="payload">The part of the leased bytes to read.</param>
    /// <param name="quota">The quota that a copy is charged to.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxLease">How long the lease may hold a payload that is no longer current; also the interval of the checks.</param>
    /// <param name="isCurrent">Checks whether the payload is still the entry's current one.</param>
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

    /// <summary>Whether it holds a copy, and so shared buffers.</summary>
    internal bool HoldsQuota => _copy.LengthBytes != 0;

    /// <summary>
    /// Waits until the client has received what was sent, or the lease has ended. From time to time it checks whether the payload is still
    /// current. If not, the lease would keep memory that the pile could reuse: the rest is copied and the lease ends.
    /// </summary>
    /// <exception cref="BufferQuotaException">The quota is exhausted.</exception>
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
        _ended.Cancel(); // cancels the timer of a wait that the client cut short
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
