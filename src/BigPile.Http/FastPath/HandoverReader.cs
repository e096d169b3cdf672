using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Http.Protocol;

namespace BigPile.Http.FastPath;

/// <summary>The input of a connection that was handed over for one request; it takes the connection back after that request.</summary>
/// <remarks>
/// The full stack reads when it wants its next request. If its current request is over, the fast path serves inside that read, and
/// completes the read only when the front request is one for the stack. Thread safety: as <see cref="PipeReader"/>;
/// <see cref="OnResponseCompleted"/> and <see cref="CancelPendingRead"/> may be called on any thread.
/// </remarks>
internal sealed class HandoverReader : PipeReader, IHandoverFeature
{
    private readonly PipeReader _input;
    private readonly FastPathConnection _connection;
    /// <summary>What the last read returned, to measure what the stack consumes of it.</summary>
    private ReadOnlySequence<byte> _read;
    /// <summary>Bytes of the handed-over request that the stack has not consumed.</summary>
    private long _remainingBytes;
    /// <summary>Whether the response of that request is complete; set by the stack.</summary>
    private volatile bool _isAnswered;
    /// <summary>Whether the fast path serves inside a read; tells <see cref="CancelPendingRead"/> which read is pending.</summary>
    private volatile bool _isServing;
    /// <summary>The request's end is unknown, so the connection stays with the stack.</summary>
    private bool _isPassThrough;
    /// <summary>The last read returned an empty result that did not come from the input; the stack's AdvanceTo for it is ignored.</summary>
    private bool _isSynthetic;
    /// <summary>Whether the fast path has taken the request's rate-limit permit, and the stack has not asked yet.</summary>
    private bool _hasPermit;

    internal HandoverReader(PipeReader input, FastPathConnection connection)
    {
        _input = input;
        _connection = connection;
        BeginRequest();
    }

    /// <inheritdoc/>
    public void OnResponseCompleted() => _isAnswered = true;

    /// <inheritdoc/>
    public bool TakePermit()
    {
        bool hadPermit = _hasPermit;
        _hasPermit = false;
        return hadPermit;
    }

    /// <inheritdoc/>
    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        if (_isPassThrough)
            return _input.ReadAsync(cancellationToken);
        // Both are needed. By bytes alone, the fast path could answer ahead of the running request. By the answer alone, it could take a
        // body that the stack never read for requests.
        return _remainingBytes == 0 && _isAnswered ? ServeAsync(cancellationToken) : ReadCountedAsync(cancellationToken);
    }

    /// <inheritdoc/>
    public override bool TryRead(out ReadResult result)
    {
        if (!_input.TryRead(out result))
            return false;
        if (!_isPassThrough)
            Remember(result);
        return true;
    }

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    /// <inheritdoc/>
    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        if (_isSynthetic)
        {
            _isSynthetic = false;
            return;
        }
        if (!_isPassThrough)
        {
            _remainingBytes -= _read.Slice(0, consumed).Length;
            _read = default;
            _isPassThrough = _remainingBytes < 0; // the stack consumed more than the counted request: trust the stack's framing
        }
        _input.AdvanceTo(consumed, examined);
    }

    /// <inheritdoc/>
    public override void CancelPendingRead()
    {
        // The read that the stack waits for may be the fast path's.
        if (_isServing)
            _connection.Cancel();
        else
            _input.CancelPendingRead();
    }

    /// <inheritdoc/>
    public override void Complete(Exception? exception = null) => _input.Complete(exception);

    /// <inheritdoc/>
    public override ValueTask CompleteAsync(Exception? exception = null) => _input.CompleteAsync(exception);

    private void BeginRequest()
    {
        _isAnswered = false;
        _hasPermit = _connection.HandoverHasPermit;
        _remainingBytes = _connection.HandoverBytes;
        _isPassThrough = _remainingBytes < 0;
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ServeAsync(CancellationToken cancellationToken)
    {
        _connection.Counters.CountReturn();
        _isServing = true;
        ServeResult served = await _connection.ServeAsync().ConfigureAwait(false);
        _isServing = false;
        if (served != ServeResult.HandOver)
        {
            _isSynthetic = true;
            return new ReadResult(
                ReadOnlySequence<byte>.Empty, isCanceled: served == ServeResult.Canceled, isCompleted: served == ServeResult.End);
        }
        _connection.Counters.CountHandOver();
        BeginRequest();
        return await ReadCountedAsync(cancellationToken).ConfigureAwait(false);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<ReadResult> ReadCountedAsync(CancellationToken cancellationToken)
    {
        ReadResult result = await _input.ReadAsync(cancellationToken).ConfigureAwait(false);
        Remember(result);
        return result;
    }

    private void Remember(in ReadResult result) => _read = result.Buffer;
}

/// <summary>Why the fast path stopped serving.</summary>
internal enum ServeResult
{
    /// <summary>The connection ends.</summary>
    End,

    /// <summary>The stack canceled its pending read.</summary>
    Canceled,

    /// <summary>The next request is for the full stack.</summary>
    HandOver,
}

/// <summary>A connection's pipes, with a <see cref="HandoverReader"/> as the input.</summary>
internal sealed class HandoverTransport(PipeReader input, PipeWriter output) : IDuplexPipe
{
    /// <inheritdoc/>
    public PipeReader Input => input;

    /// <inheritdoc/>
    public PipeWriter Output => output;
}
