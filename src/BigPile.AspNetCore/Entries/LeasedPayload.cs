using System;
using System.Buffers;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.AspNetCore.Entries;

/// <summary>A payload that is read where it lies in the pile, for a limited time; after that from a copy of the rest.</summary>
/// <remarks>Thread safety: none; it belongs to one response.</remarks>
internal sealed class LeasedPayload : Stream
{
    private readonly TimeProvider _time;
    private readonly TimeSpan _maxLease;
    private readonly long _started;
    private readonly CancellationTokenSource _ended = new();
    private PileLease? _lease;
    private byte[]? _copy;
    private ReadOnlyMemory<byte> _rest;

    /// <summary>Takes over a lease.</summary>
    /// <param name="lease">The lease; it ends with the stream, or before.</param>
    /// <param name="payload">The part of the leased bytes to read.</param>
    /// <param name="time">The clock.</param>
    /// <param name="maxLease">How long the lease may last.</param>
    internal LeasedPayload(PileLease lease, ReadOnlyMemory<byte> payload, TimeProvider time, TimeSpan maxLease)
    {
        _lease = lease;
        _rest = payload;
        _time = time;
        _maxLease = maxLease;
        _started = time.GetTimestamp();
    }

    internal bool IsLeased => _lease != null;

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => false;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>Waits for a client to take what was sent; if that lasts until the lease is over, the rest is copied meanwhile.</summary>
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
    public override void Flush()
    {
    }

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        _rest = default;
        _ended.Cancel(); // the timer that a fast client did not need
        _ended.Dispose();
        _lease?.Dispose();
        _lease = null;
        if (_copy != null)
            ArrayPool<byte>.Shared.Return(_copy);
        _copy = null;
        base.Dispose(disposing);
    }

    private void EndLease()
    {
        if (!_rest.IsEmpty)
        {
            _copy = ArrayPool<byte>.Shared.Rent(_rest.Length);
            _rest.CopyTo(_copy);
            _rest = _copy.AsMemory(0, _rest.Length);
        }
        _lease!.Dispose();
        _lease = null;
    }
}
